"""Lists narrowed by the parameters that were given."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet


def narrowed(found: QuerySet, parameters: Mapping[str, Any], moment: str, **fields: str) -> QuerySet:
    """Filter a list by the parameters that were given, which are named after the fields' paths."""
    given = {path: parameters[name] for name, path in fields.items() if name in parameters}
    if "from" in parameters:
        given[f"{moment}__gte"] = parameters["from"]
    if "to" in parameters:
        given[f"{moment}__lt"] = parameters["to"]
    return found.filter(**given)
