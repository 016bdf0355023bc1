"""What every view of the API has in common."""

import re
import uuid
from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.utils.cache import add_never_cache_headers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from tables.api.authentication import KeyAuthentication, StaffSession
from tables.api.paging import read_page
from tables.api.permissions import MayUse
from tables.api.problems import forbidden, unknown
from tables.models import ApiKey

REQUEST_ID = re.compile(r"[\x21-\x7e]{1,64}", re.ASCII)


class ApiView(APIView):
    """What every view of the API has: who may ask, a request ID, and answers that nobody keeps."""

    authentication_classes = [KeyAuthentication, StaffSession]
    permission_classes = [MayUse]
    scopes: ClassVar[tuple[str, ...]] = ()
    permission: ClassVar[str | None] = None
    request_id = ""

    def needed(self, method: str) -> tuple[tuple[str, ...], str | None]:
        """Return the scopes of which a key needs one, and the permission that a person needs."""
        return self.scopes, self.permission

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Give the request its ID, the sender's own where it will do, before anything is checked."""
        sent = request.headers.get("X-Request-ID", "")
        self.request_id = sent if REQUEST_ID.fullmatch(sent) else uuid.uuid4().hex
        super().initial(request, *args, **kwargs)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Send the request's ID back, and forbid caching."""
        response = super().finalize_response(request, response, *args, **kwargs)
        if self.request_id:
            response.headers["X-Request-ID"] = self.request_id
        add_never_cache_headers(response)
        return response

    def check_table(self, code: str) -> None:
        """Raise unless the one who asks may ask about this table.

        :raises Problem: 403, if the key is another table's.
        """
        key = self.request.auth
        if isinstance(key, ApiKey) and key.table is not None and key.table.code != code:
            raise forbidden(f"This key is for table {key.table.code} only.", "other-table")

    def own(self, path: str) -> Q:
        """Return the condition that leaves what the one who asks may see; `path` leads to the table."""
        key = self.request.auth
        if isinstance(key, ApiKey) and key.table_id is not None:
            return Q(**{path: key.table_id})
        return Q()

    def write(self, body: type[Serializer], rows: Any, *, many: bool = False) -> Any:
        """Write rows out, players' references only for whom they are."""
        user = self.request.user
        may_see = isinstance(self.request.auth, ApiKey) or user.has_perm("tables.view_playeridentity")
        return body(rows, many=many, context={"may_see_references": may_see}).data

    def page(
        self,
        body: type[Serializer],
        queryset: QuerySet,
        order: tuple[str, ...],
        parameters: Mapping[str, Any],
    ) -> Response:
        """Answer one page of a list."""
        rows, following = read_page(queryset, order=order, parameters=parameters, request=self.request)
        return Response({"items": self.write(body, rows, many=True), "next": following})


class Nowhere(ApiView):
    """Every other path below /api/: whoever asks gets the same answer."""

    authentication_classes = []
    permission_classes = []
    http_method_names = []

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """Say that there is nothing."""
        raise unknown(f"There is nothing at {request.path[:200]}; /api/v1/docs lists what there is.")
