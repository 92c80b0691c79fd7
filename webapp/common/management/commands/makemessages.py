"""``makemessages``: Django's, which also knows the functions of ``static/js/lib/t.js``."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=t", "--keyword=tn:1,2", "--keyword=tp:1c,2"]
