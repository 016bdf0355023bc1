"""What the API says about itself is complete, valid, and true."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from jsonschema import Draft202012Validator

from tables.api.documents import openapi_document
from tests.tables.playing import Platform


def operations() -> list[Any]:
    paths = openapi_document()["paths"]
    return [(f"{method} {path}", body) for path, below in paths.items() for method, body in below.items()]


def test_the_document_is_valid_and_made_without_a_warning() -> None:
    out = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json", stdout=out)
    assert json.loads(out.getvalue())["openapi"].startswith("3.")


def test_every_address_of_the_api_is_documented() -> None:
    assert {name for name, _ in operations()} == {
        "get /api/v1/bets/{platform_bet_id}",
        "get /api/v1/evidence/{number}",
        "get /api/v1/evidence/{number}/file",
        "get /api/v1/checkpoints",
        "get /api/v1/checkpoints/{size}",
        "get /api/v1/checkpoints/{size}/growth/{old_size}",
        "get /api/v1/complaints",
        "get /api/v1/complaints/answers",
        "get /api/v1/complaints/{number}",
        "get /api/v1/incidents",
        "get /api/v1/incidents/{number}",
        "get /api/v1/journal/{entry_id}/proof",
        "get /api/v1/lookup",
        "get /api/v1/openapi.json",
        "get /api/v1/players/{reference}/notices",
        "get /api/v1/rounds",
        "get /api/v1/rounds/{round_id}",
        "get /api/v1/rounds/{round_id}/bets",
        "get /api/v1/rounds/{round_id}/notices",
        "get /api/v1/rounds/{round_id}/settlements",
        "get /api/v1/rulings",
        "get /api/v1/rulings/{number}",
        "get /api/v1/schema/feed-event",
        "get /api/v1/settlements/{settlement_id}",
        "get /api/v1/settlements/{settlement_id}/lines",
        "get /api/v1/shoes",
        "get /api/v1/shoes/{shoe_id}",
        "get /api/v1/tables",
        "get /api/v1/tables/{code}/decisions",
        "get /api/v1/tables/{code}/feed",
        "get /api/v1/wallet/transactions",
        "post /api/v1/evidence",
        "post /api/v1/complaints",
        "post /api/v1/complaints/{number}/attachments",
        "post /api/v1/complaints/{number}/information",
        "post /api/v1/complaints/{number}/{verb}",
        "post /api/v1/rulings",
        "post /api/v1/rulings/preview",
        "post /api/v1/rulings/{number}/approve",
        "post /api/v1/rulings/{number}/refuse",
        "post /api/v1/rulings/{number}/resume",
        "post /api/v1/rulings/{number}/stop",
        "post /api/v1/rulings/{number}/withdraw",
        "post /api/v1/tables/{code}/decisions/{decision_id}/ack",
        "post /api/v1/tables/{code}/close",
        "post /api/v1/tables/{code}/events",
        "post /api/v1/tables/{code}/limits",
        "post /api/v1/tables/{code}/open",
        "post /api/v1/tables/{code}/incidents",
    }


def test_every_operation_says_what_it_does_what_may_go_wrong_and_shows_an_example() -> None:
    for name, operation in operations():
        assert operation["summary"], name
        assert operation["description"], name
        if operation["tags"] == ["documents"]:
            continue
        assert {"401", "403"} <= set(operation["responses"]), name
        for status, response in operation["responses"].items():
            [(media_type, content)] = response["content"].items()
            good = {"application/json", "application/zip"}
            assert media_type in (good if status < "300" else {"application/problem+json"}), name
            assert content["examples"], (name, status)
        for parameter in operation.get("parameters", []):
            assert parameter["description"], (name, parameter["name"])


def test_examples_fit_the_shapes_beside_them() -> None:
    document = openapi_document()
    checked = 0
    for name, operation in operations():
        for status, response in operation["responses"].items():
            for content in response.get("content", {}).values():
                schema = as_json_schema(content["schema"] | {"components": document["components"]})
                for example in content.get("examples", {}).values():
                    errors = list(Draft202012Validator(schema).iter_errors(example["value"]))
                    assert not errors, (name, status, errors[0].message)
                    checked += 1
    assert checked >= 16


def as_json_schema(schema: Any) -> Any:
    """Turn `nullable` of OpenAPI 3.0 into what JSON Schema knows."""
    if isinstance(schema, list):
        return [as_json_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {name: as_json_schema(below) for name, below in schema.items() if name != "nullable"}
    return {"anyOf": [rest, {"type": "null"}]} if schema.get("nullable") is True else rest


@pytest.mark.django_db
def test_the_schema_of_events_accepts_what_a_table_sends() -> None:
    from tests.tables.playing import make_table

    validator = Draft202012Validator(Client().get("/api/v1/schema/feed-event").json())
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    platform.play("6H 6C KS QD", ("b1", "P-1", "tie", 500))
    for line in platform.sent:
        validator.validate(json.loads(line))
    bad = json.loads(platform.sent[0]) | {"type": "shuffle"}
    assert not validator.is_valid(bad)
    assert not validator.is_valid(json.loads(platform.sent[0]) | {"seq": 0})


@pytest.mark.django_db
def test_the_page_shows_every_operation_and_asks_nobody_else() -> None:
    text = Client().get("/api/v1/docs").content.decode()
    for _, operation in operations():
        assert f'id="{operation["operationId"]}"' in text
    assert "http://" not in text
    assert "https://" not in text
    assert "<script" not in text


@pytest.mark.django_db
def test_the_page_sets_code_apart_and_names_what_a_state_may_be() -> None:
    text = Client().get("/api/v1/docs").content.decode()
    assert "<code>Authorization: Bearer bc_…</code>" in text
    assert "One of accepted, refused, cancelled." in text
    assert "`" not in text.replace("Expected `int`", "")  # the reader's own words in an example
