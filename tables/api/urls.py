"""The addresses of the API, all below /api/."""

from django.urls import path, re_path

from tables.api import actions, base, documents, feed, views

app_name = "api"

urlpatterns = [
    path("v1/openapi.json", documents.OpenApiDocument.as_view(), name="openapi"),
    path("v1/docs", documents.reference, name="docs"),
    path("v1/schema/feed-event", documents.FeedEventSchema.as_view(), name="feed-event-schema"),
    path("v1/tables", views.Tables.as_view(), name="tables"),
    path("v1/tables/<str:code>/events", feed.TableEvents.as_view(), name="events"),
    path("v1/tables/<str:code>/feed", feed.TableFeed.as_view(), name="feed"),
    path("v1/tables/<str:code>/open", actions.OpenTable.as_view(), name="open-table"),
    path("v1/tables/<str:code>/close", actions.CloseTable.as_view(), name="close-table"),
    path("v1/tables/<str:code>/limits", actions.ChangeLimits.as_view(), name="limits"),
    path("v1/shoes", views.Shoes.as_view(), name="shoes"),
    path("v1/shoes/<str:shoe_id>", views.OneShoe.as_view(), name="shoe"),
    path("v1/rounds", views.Rounds.as_view(), name="rounds"),
    path("v1/rounds/<str:round_id>", views.OneRound.as_view(), name="round"),
    path("v1/rounds/<str:round_id>/bets", views.RoundBets.as_view(), name="round-bets"),
    path("v1/rounds/<str:round_id>/settlements", views.RoundSettlements.as_view(), name="round-settlements"),
    path("v1/settlements/<int:settlement_id>", views.OneSettlement.as_view(), name="settlement"),
    path(
        "v1/settlements/<int:settlement_id>/lines", views.SettlementLines.as_view(), name="settlement-lines"
    ),
    path("v1/bets/<path:platform_bet_id>", views.OneBet.as_view(), name="bet"),
    path("v1/wallet/transactions", views.WalletFeed.as_view(), name="wallet-transactions"),
    re_path(r"", base.Nowhere.as_view(), name="nowhere"),
]
