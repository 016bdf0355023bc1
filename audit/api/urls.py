"""The addresses of incidents, rulings and what was told, below /api/."""

from django.urls import path

from audit.api import complaints, evidence, incidents, lookup, proofs, rulings, telling

app_name = "audit-api"

urlpatterns = [
    path("v1/tables/<str:code>/incidents", incidents.TableIncidents.as_view(), name="table-incidents"),
    path("v1/tables/<str:code>/decisions", telling.TableDecisions.as_view(), name="decisions"),
    path(
        "v1/tables/<str:code>/decisions/<int:decision_id>/ack",
        telling.AcknowledgeDecision.as_view(),
        name="acknowledge-decision",
    ),
    path("v1/evidence", evidence.EvidencePacks.as_view(), name="evidence"),
    path("v1/evidence/<str:number>", evidence.OneEvidencePack.as_view(), name="evidence-pack"),
    path("v1/evidence/<str:number>/file", evidence.EvidenceFile.as_view(), name="evidence-file"),
    path("v1/checkpoints", proofs.Checkpoints.as_view(), name="checkpoints"),
    path("v1/checkpoints/<int:size>", proofs.OneCheckpoint.as_view(), name="checkpoint"),
    path("v1/checkpoints/<int:size>/growth/<int:old_size>", proofs.Growth.as_view(), name="growth"),
    path("v1/journal/<int:entry_id>/proof", proofs.EntryProof.as_view(), name="entry-proof"),
    path("v1/incidents", incidents.Incidents.as_view(), name="incidents"),
    path("v1/incidents/<str:number>", incidents.OneIncident.as_view(), name="incident"),
    path("v1/lookup", lookup.Lookup.as_view(), name="lookup"),
    path("v1/complaints", complaints.Complaints.as_view(), name="complaints"),
    path("v1/complaints/answers", complaints.ComplaintAnswers.as_view(), name="complaint-answers"),
    path("v1/complaints/<str:number>", complaints.OneComplaint.as_view(), name="complaint"),
    path(
        "v1/complaints/<str:number>/information",
        complaints.ComplaintInformation.as_view(),
        name="complaint-information",
    ),
    path(
        "v1/complaints/<str:number>/attachments",
        complaints.ComplaintAttachments.as_view(),
        name="complaint-attachments",
    ),
    path("v1/complaints/<str:number>/<str:verb>", complaints.ComplaintVerb.as_view(), name="complaint-verb"),
    path("v1/rulings", rulings.Rulings.as_view(), name="rulings"),
    path("v1/rulings/preview", rulings.RulingPreview.as_view(), name="preview-ruling"),
    path("v1/rulings/<str:number>", rulings.OneRuling.as_view(), name="ruling"),
    path("v1/rulings/<str:number>/approve", rulings.ApproveRuling.as_view(), name="approve-ruling"),
    path("v1/rulings/<str:number>/refuse", rulings.RefuseRuling.as_view(), name="refuse-ruling"),
    path("v1/rulings/<str:number>/withdraw", rulings.WithdrawRuling.as_view(), name="withdraw-ruling"),
    path("v1/rulings/<str:number>/stop", rulings.StopRuling.as_view(), name="stop-ruling"),
    path("v1/rulings/<str:number>/resume", rulings.ResumeRuling.as_view(), name="resume-ruling"),
    path("v1/players/<path:reference>/notices", telling.PlayerNotices.as_view(), name="player-notices"),
    path("v1/rounds/<str:round_id>/notices", telling.RoundNotices.as_view(), name="round-notices"),
]
