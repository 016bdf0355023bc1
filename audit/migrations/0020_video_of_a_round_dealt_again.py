"""A round that is dealt again ends later: the video of what is dealt then is another piece to hold.

And what is being released is asked for anew by whoever needs it then.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0019_no_role_before_the_person")]
    operations = [
        migrations.RemoveConstraint("videohold", "videohold_one_per_round"),
        migrations.AddConstraint(
            "videohold",
            models.UniqueConstraint(
                fields=["round", "camera", "to_at"],
                condition=models.Q(("status__in", ["asked", "held"])),
                nulls_distinct=False,
                name="videohold_one_per_piece",
            ),
        ),
    ]
