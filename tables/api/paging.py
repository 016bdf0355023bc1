"""Pages by key and not by number: the last page costs what the first does, and nothing is counted."""

import base64
import binascii
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet
from rest_framework.request import Request

from tables.api.problems import Problem, bad_field

Row = TypeVar("Row", bound=Model)


def read_page(
    queryset: QuerySet[Row], *, order: tuple[str, ...], parameters: Mapping[str, Any], request: Request
) -> tuple[list[Row], str | None]:
    """Read one page in an order that no two rows share, and the address of the next, None at the end.

    `order` names one or two fields, all ascending or all with a minus; the last of them is unique.

    :raises Problem: 400, if the cursor is none of ours.
    """
    names = [name.removeprefix("-") for name in order]
    if cursor := parameters.get("cursor"):
        queryset = queryset.filter(_beyond(order, _values(cursor, queryset.model, names)))
    limit = parameters["limit"]
    rows = list(queryset.order_by(*order)[: limit + 1])
    if len(rows) <= limit:
        return rows, None
    rows.pop()
    return rows, _address(request, _cursor([getattr(rows[-1], name) for name in names]))


def _beyond(order: tuple[str, ...], values: list[Any]) -> Q:
    """Say `(first, last) < (a, b)` so that an index on both serves it."""
    compare = "lt" if order[0].startswith("-") else "gt"
    first, last = order[0].removeprefix("-"), order[-1].removeprefix("-")
    if len(order) == 1:
        return Q(**{f"{last}__{compare}": values[0]})
    tie = Q(**{first: values[0], f"{last}__{compare}": values[1]})
    return Q(**{f"{first}__{compare}e": values[0]}) & (Q(**{f"{first}__{compare}": values[0]}) | tie)


def _cursor(values: list[Any]) -> str:
    texts = [value.isoformat() if isinstance(value, datetime) else value for value in values]
    return base64.urlsafe_b64encode(json.dumps(texts).encode()).decode().rstrip("=")


def _values(cursor: str, model: type[Model], names: list[str]) -> list[Any]:
    """Read a cursor back into values of the fields it was made from."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        texts = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if not isinstance(texts, list) or len(texts) != len(names):
            raise _no_cursor()
        return [_value(model, name, text) for name, text in zip(names, texts, strict=True)]
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _no_cursor() from error


def _value(model: type[Model], name: str, text: Any) -> Any:
    kind = model._meta.get_field(name).get_internal_type()
    if kind == "DateTimeField":
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError("a moment without its offset")
        return moment
    if kind == "CharField":
        if not isinstance(text, str) or not text.isprintable():
            raise ValueError("not a text of ours")
        return text
    if type(text) is not int or not 0 <= text < 2**63:
        raise ValueError("not a number of ours")
    return text


def _no_cursor() -> Problem:
    return bad_field("cursor", "cursor", "This is no cursor of ours: take it from `next` of the page before.")


def _address(request: Request, cursor: str) -> str:
    query = request.query_params.copy()
    query["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
