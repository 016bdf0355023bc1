# The decks of a shoe by what stands on their box, so that a ruling on them finds the shoe.

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("tables", "0015_api_key_last_used")]

    operations = [
        migrations.AddField(
            "shoe",
            "card_set",
            models.CharField(blank=True, db_collation="C", max_length=64, verbose_name="card set", default=""),
            preserve_default=False,
        ),
        migrations.AddIndex(
            "shoe", models.Index(fields=["card_set"], condition=Q(card_set__gt=""), name="shoe_card_set")
        ),
    ]
