from django.urls import URLPattern, URLResolver, path

from annotation.benchmarks import api as benchmarks
from annotation.board import api as board
from annotation.guidelines import api as guidelines
from annotation.planning import api as planning
from annotation.review import api as review
from annotation.samples import api as samples
from annotation.studio import api as studio
from annotation.task import api as task
from annotation.tools import api as toolbox
from annotation.variants import api as variants
from annotation.versions import api as versions
from annotation.webhooks import api as hooks
from annotation.work import api as work
from webapp.common.addresses import KEY

BENCHMARK = "benchmarks/<slug:slug>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("benchmarks/", benchmarks.benchmarks, name="api-benchmarks"),
    path("trash/", benchmarks.trash, name="api-deleted-benchmarks"),
    path("trash/<slug:slug>/restore/", benchmarks.restore, name="api-benchmark-restore"),
    path("trash/<slug:slug>/purge/", benchmarks.purge, name="api-benchmark-purge"),
    path(f"{BENCHMARK}/delete/", benchmarks.delete, name="api-benchmark-delete"),
    path(f"{BENCHMARK}/placeholders/", benchmarks.placeholders, name="api-placeholders"),
    path(f"{BENCHMARK}/placeholders/<int:pk>/invitation/", benchmarks.take_over, name="api-take-over"),
    path("toolbox/", toolbox.toolbox, name="api-toolbox"),
    path("toolbox/<slug:name>/", toolbox.tool_call, name="api-tool"),
    path(f"{BENCHMARK}/board/", board.board, name="api-board"),
    path(f"{BENCHMARK}/board/items/", board.items, name="api-board-items"),
    path(f"{BENCHMARK}/board/items/<int:number>/", board.item, name="api-board-item"),
    path(f"{BENCHMARK}/board/items/<int:number>/image/", board.image, name="api-board-image"),
    path(f"{BENCHMARK}/board/items/<int:number>/pair/", board.pair, name="api-board-pair"),
    path(f"{BENCHMARK}/board/pairs/{KEY}/", board.pair_of_sample, name="api-board-pair-sample"),
    path(f"{BENCHMARK}/board/items/<int:number>/accept/", board.accept, name="api-board-accept"),
    path(f"{BENCHMARK}/board/items/<int:number>/reject/", board.reject, name="api-board-reject"),
    path(f"{BENCHMARK}/guidelines/", guidelines.guidelines, name="api-guidelines"),
    path(f"{BENCHMARK}/guidelines/images/", guidelines.images, name="api-guidelines-images"),
    path(f"{BENCHMARK}/guidelines/images/<slug:name>/", guidelines.image, name="api-guidelines-image"),
    path(f"{BENCHMARK}/samples/", samples.samples, name="api-samples"),
    path(f"{BENCHMARK}/questions/{KEY}/", studio.questions, name="api-questions"),
    path(f"{BENCHMARK}/task/", task.task, name="api-task"),
    path(f"{BENCHMARK}/task/draft/", task.draft, name="api-task-draft"),
    path(f"{BENCHMARK}/task/activation/", task.activation, name="api-task-activation"),
    path(f"{BENCHMARK}/variants/{KEY}/", variants.variants, name="api-variants"),
    path(f"{BENCHMARK}/versions/", versions.versions, name="api-versions"),
    path(f"{BENCHMARK}/webhooks/", hooks.webhooks, name="api-webhooks"),
    path(f"{BENCHMARK}/webhooks/<int:pk>/", hooks.webhook, name="api-webhook"),
    path(f"{BENCHMARK}/webhooks/<int:pk>/test/", hooks.webhook_test, name="api-webhook-test"),
    path(f"{BENCHMARK}/webhooks/<int:pk>/deliveries/", hooks.deliveries, name="api-webhook-deliveries"),
    path(f"{BENCHMARK}/webhooks/<int:pk>/deliveries/<int:delivery>/again/", hooks.again, name="api-webhook-again"),
    path(f"{BENCHMARK}/adjudications/", review.adjudications, name="api-adjudications"),
    path(f"{BENCHMARK}/adjudications/{KEY}/", review.adjudication, name="api-adjudication"),
    path(f"{BENCHMARK}/priorities/", work.priorities, name="api-priorities"),
    path(f"{BENCHMARK}/facet-batches/", work.facet, name="api-facet-batches"),
    path(f"{BENCHMARK}/facet-batches/undo/", work.facet_undo, name="api-facet-undo"),
    path(f"{BENCHMARK}/image/{KEY}/", work.image, name="api-image"),
    path(f"{BENCHMARK}/takedowns/{KEY}/", work.takedown, name="api-takedown"),
    path(f"{BENCHMARK}/packages/", planning.packages, name="api-packages"),
    path(f"{BENCHMARK}/time/", planning.work_time, name="api-work-time"),
    path(f"{BENCHMARK}/facets/", samples.facets, name="api-sample-facets"),
    path(f"{BENCHMARK}/samples/{KEY}/", samples.sample, name="api-sample"),
]
