"""Incidents: reported by a machine or a person, and read."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import examples, inputs, outputs
from audit.api.named import incident_in_path, incidents, round_in_body, shoe_in_body, table_in_path
from audit.api.schema import INCIDENT, report_problems
from audit.models import IncidentSource
from audit.services.incidents import report_incident, report_once
from tables.api.base import ApiView
from tables.api.filters import read_parameters
from tables.api.narrowing import narrowed
from tables.api.problems import bad_field
from tables.api.schema import CODE, page_of, problems
from tables.models import ApiKey
from tables.services.actors import Actor
from tables.services.api_keys import Scope


class TableIncidents(ApiView):
    scopes, permission = (Scope.INCIDENT_WRITE,), "audit.report_incident"

    @extend_schema(
        operation_id="report_incident",
        summary="Report an incident",
        request=inputs.Report,
        parameters=[CODE],
        responses={
            200: outputs.IncidentBody,
            201: outputs.IncidentBody,
            **report_problems(400, 401, 403, 404, 409, 413, 415),
        },
        examples=[*examples.shown(examples.INCIDENT, 200), *examples.shown(examples.INCIDENT, 201)],
    )
    def post(self, request: Request, code: str) -> Response:
        """Something that went wrong at a table, with the facts that decide its remedy.

        The answer shows what the rulebook orders. The round is held if that may change money; an incident
        whose remedy changes nothing is recorded and closed at once. With an `id` a report can be repeated
        safely: the second time it is answered 200 with the incident of the first.
        """
        table = table_in_path(self, code)
        fields = inputs.read_input(inputs.Report, request)
        round_ = round_in_body(fields["round"], table) if "round" in fields else None
        shoe = shoe_in_body(fields["shoe"]) if "shoe" in fields else None
        if shoe is not None and shoe.table_id != table.pk:
            raise bad_field("shoe", "shoe/table", f"{shoe.public_id} did not lie on {table.code}.")
        key = request.auth
        is_machine = isinstance(key, ApiKey)
        report = {
            "table": table,
            "code": fields["code"],
            "facts": fields["facts"],
            "actor": Actor.of_key(key.prefix) if isinstance(key, ApiKey) else Actor.of_user(request.user),
            "at": timezone.now(),
            "round_": round_,
            "shoe": shoe,
            "note": fields["note"],
            "source": IncidentSource.API if is_machine else IncidentSource.PERSON,
            "user": None if is_machine else request.user,
        }
        is_new = True
        if "id" in fields:
            incident, is_new = report_once(report_id=fields["id"], **report)
        else:
            incident = report_incident(**report)
        code_ = status.HTTP_201_CREATED if is_new else status.HTTP_200_OK
        return Response(self.write(outputs.IncidentBody, incident), status=code_)


class Incidents(ApiView):
    scopes, permission = (Scope.PLAY_READ,), "audit.view_incident"

    @extend_schema(
        operation_id="list_incidents",
        summary="List incidents",
        parameters=[inputs.IncidentList],
        responses={200: page_of(outputs.IncidentBody), **problems(400, 401, 403)},
        examples=examples.shown_page(examples.INCIDENT),
    )
    def get(self, request: Request) -> Response:
        """Incidents by the moment they were reported, newest first."""
        parameters = read_parameters(inputs.IncidentList, request)
        found = incidents().filter(self.own("table"))
        found = narrowed(found, parameters, "reported_at", table="table__code", status="status")
        return self.page(outputs.IncidentBody, found, ("-reported_at", "-id"), parameters)


class OneIncident(ApiView):
    scopes, permission = (Scope.PLAY_READ,), "audit.view_incident"

    @extend_schema(
        operation_id="read_incident",
        summary="Read one incident",
        parameters=[INCIDENT],
        responses={200: outputs.IncidentBody, **problems(401, 403, 404)},
        examples=examples.shown(examples.INCIDENT),
    )
    def get(self, request: Request, number: str) -> Response:
        """One incident by its number, with what the rulebook orders and whether its round waits."""
        return Response(self.write(outputs.IncidentBody, incident_in_path(self, number)))
