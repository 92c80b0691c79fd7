from django.conf import settings
from django.db import migrations, models


def from_seats(apps, schema_editor):
    """Who has a place in a queue was handed a question of it; who only skipped it was not told any."""
    queues, seats = (apps.get_model("evaluation", name) for name in ("JudgingQueue", "JudgingSeat"))
    begun = queues.begun.through
    rows = seats.objects.filter(place__isnull=False).order_by().values_list("item__queue", "user").distinct()
    begun.objects.bulk_create([begun(judgingqueue_id=queue, user_id=user) for queue, user in rows])


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("evaluation", "0031_groups_of_answers_are_found"),
    ]

    operations = [
        migrations.AddField(
            model_name="judgingqueue",
            name="begun",
            field=models.ManyToManyField(related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunPython(from_seats, migrations.RunPython.noop),
    ]
