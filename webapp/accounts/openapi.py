"""Describes our tokens for the API description; drf-spectacular finds it once it is imported."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension

from webapp.accounts.scopes import WORDS, Scope, scopes_for


class TokenScheme(OpenApiAuthenticationExtension):
    """One scheme for each scope: OpenAPI 3.0 knows scopes of OAuth only."""

    target_class = "webapp.accounts.tokens.TokenAuthentication"
    name = [f"token_{scope}" for scope in Scope]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        about = "A token of your account page (sightline_…) with the scope {}. {}."
        return [
            {"type": "http", "scheme": "bearer", "description": about.format(scope, WORDS[scope])} for scope in Scope
        ]

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[Any]]]:
        return [{f"token_{scope}": []} for scope in scopes_for(auto_schema.view, auto_schema.method)]
