"""contract/vectors/client-settings.json: to which address, and through which proxy."""

from __future__ import annotations

import pytest
from support import KEY, vectors

from acuse import Acuse, ConfigurationError
from acuse._pool import environment_proxy


def test_the_address_is_the_one_that_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for case in vectors("client-settings.json")["addresses"]:
        for name in ("ACUSE_URL", "ACUSE_BASE_URL"):
            monkeypatch.delenv(name, raising=False)
        for name, value in case["env"].items():
            monkeypatch.setenv(name, value)
        if case["out"] is None:
            with pytest.raises(ConfigurationError, match="ACUSE_URL"):
                Acuse(KEY, case["given"])
        else:
            assert Acuse(KEY, case["given"]).core.settings.base_url == case["out"]


@pytest.mark.parametrize(
    "address", ["mail.example.com", "u:secret@x", "https://u:secret@x", "https://u:secret/@x"]
)
def test_an_address_that_is_none_says_where_it_is_set(address: str) -> None:
    with pytest.raises(ConfigurationError, match="base_url, or ACUSE_URL") as refused:
        Acuse(KEY, address)
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_the_proxy_is_one_of_https() -> None:
    for case in vectors("client-settings.json")["proxies"]:
        if case["out"] == "refused":
            with pytest.raises(ConfigurationError, match="HTTPS_PROXY"):
                environment_proxy(case["address"], case["env"])
        else:
            assert environment_proxy(case["address"], case["env"]) == case["out"], case


def test_a_proxy_sees_no_key_in_plain_http() -> None:
    with pytest.raises(ConfigurationError, match="proxy"):
        Acuse(KEY, "http://localhost:8025", proxy="http://proxy.example.com:3128")
    Acuse(KEY, "http://localhost:8025", proxy="http://proxy.example.com:3128", allow_insecure=True)
    Acuse(KEY, "https://mail.example.com", proxy="http://proxy.example.com:3128")
