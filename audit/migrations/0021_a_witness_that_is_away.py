"""A witness that does not answer is told apart from one that will not sign what it is shown."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0020_video_of_a_round_dealt_again")]
    operations = [
        migrations.AddField(
            "witnessstate",
            "is_away",
            models.BooleanField(db_default=False, default=False, verbose_name="does not answer"),
        ),
    ]
