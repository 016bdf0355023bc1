"""A table hears that a person opened it."""

from django.db import migrations, models

KINDS = [
    "hold",
    "stand",
    "void",
    "void_kinds",
    "re_deal",
    "corrected",
    "shoe_replaced",
    "table_closed",
    "table_opened",
    "resume",
]


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0014_legal_hold"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="tabledecision", name="tabledecision_kind_known"),
        migrations.AddConstraint(
            model_name="tabledecision",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", KINDS)), name="tabledecision_kind_known"
            ),
        ),
    ]
