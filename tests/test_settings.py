"""What the environment may say, and what is said of it when it makes no sense."""

import re
import traceback
from pathlib import Path

import pytest

import footnote
from footnote.errors import UnsupportedSettings
from footnote.models.served import model_keys_from
from footnote.removed_settings import REMOVED
from footnote.settings import (
    COMMAND_LINE_VARIABLES,
    Settings,
    environment_of,
    per_workspace,
    settings_from,
    similar_names_hint,
    unknown_variables,
)
from footnote.telemetry.prices import prices_from
from tests.interfaces.serving import footnote as run

MALFORMED = {
    "percent": "postgresql://app:s3cret%zz@db/footnote",
    "other scheme": "mysql://app:s3cret@db/footnote",
    "no separator": "host=db password=s3cret again",
    "unknown option": "host=db password=s3cret x=1",
    "an at sign in the password": "postgresql://app:s3@cret@db/footnote",
    "a slash in the password": "postgresql://app:s3/cret@db/footnote",
    "no number for a port": "postgresql://app@db:s3cret/footnote",
    "NUL": "postgresql://app:s3cret\0@db/footnote",
}


@pytest.mark.parametrize("setting", ["database_url", "owner_database_url"])
@pytest.mark.parametrize("url", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_database_url_is_refused_without_being_shown(setting: str, url: str) -> None:
    with pytest.raises(footnote.UnsupportedSettings) as caught:
        settings_from(None, {setting: url})
    said = "".join(traceback.format_exception(caught.value)) + str(caught.value.hint)
    assert "s3" not in said
    assert "cret" not in said.replace("SecretStr", "")
    assert f"FOOTNOTE_{setting.upper()}" in str(caught.value.hint)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://app:pass%40word@db:5432/footnote?sslmode=require",
        "postgres://app@one:5432,two:5433/footnote",
        "postgresql://app@/footnote?host=%2Ftmp%2Fan%20odd%40home",
        "host=/run/postgresql dbname=footnote user=app",
        "postgresql://[::1]/footnote",
    ],
)
def test_a_database_url_that_makes_sense_is_kept_to_itself(url: str) -> None:
    settings = Settings(database_url=url, owner_database_url=url)
    assert settings.database_url == url
    assert url not in repr(settings)


@pytest.mark.parametrize("command", ["doctor", "worker"])
async def test_a_command_refuses_a_malformed_database_url(command: str, tmp_path: Path) -> None:
    env = {"FOOTNOTE_HOME": str(tmp_path), "FOOTNOTE_DATABASE_URL": MALFORMED["percent"]}
    ended = await run(env, command)
    assert ended.code == 2
    assert "FOOTNOTE_DATABASE_URL" in ended.err
    assert "s3cret" not in ended.out + ended.err


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    unset = Settings()
    for variable in ("HOME", "DATABASE_URL", "RERANK_TOP_K", "TOP_K", "OCR", "MODEL_KEYS"):
        monkeypatch.setenv(f"FOOTNOTE_{variable}", "")
    assert Settings() == unset


def test_an_empty_variable_gives_way_to_the_other_name_of_its_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FOOTNOTE_TOP_K", "")
    monkeypatch.setenv("TOP_K_FINAL", "17")
    assert Settings().top_k == 17


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("POOL_SIZE", "s3cret", "pool_size cannot be used: it must be a whole number."),
        ("POOL_SIZE", "0", "pool_size cannot be used: it must be at least 1."),
        ("PARSER_SANDBOX", "s3cret", "it must be 'auto', 'required' or 'off'."),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_what_it_must_be(
    variable: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"FOOTNOTE_{variable}", value)
    with pytest.raises(UnsupportedSettings) as refusal:
        settings_from(None, {})
    assert said in str(refusal.value)
    assert f"FOOTNOTE_{variable}" in str(refusal.value.hint)
    assert "s3cret" not in f"{refusal.value}{refusal.value.hint}"


def test_a_variable_that_is_almost_a_setting_is_told_with_the_setting() -> None:
    environment = {
        "FOOTNOTE_TOPK": "3",
        "FOOTNOTE_CHUNK_CLASS_TARGETS": "{}",
        "FOOTNOTE_MAX_PAGES": "3",
        "FOOTNOTE_METRICS_PORT": "9464",
        "FOOTNOTE_TOKEN_ROLE_CLAIM": "role",
        "FOOTNOTE_QQQQQQQQ": "",
        "FOOTNOTE_TOP_K": "3",
        "footnote_top_k": "3",
        "FOOTNOTE_WORKSPACE": "acme",
        "FOOTNOTE_TEST_DATA": "/data",
        "HOME": "/home/ada",
    }
    assert unknown_variables(environment) == (
        (
            "FOOTNOTE_CHUNK_CLASS_TARGETS",
            "it was removed: FOOTNOTE_CHUNK_POLICY holds for every class.",
        ),
        ("FOOTNOTE_MAX_PAGES", "it was removed: a document may have 5,000 pages."),
        ("FOOTNOTE_METRICS_PORT", "it was removed: it is FOOTNOTE_METRICS_ADDRESS."),
        ("FOOTNOTE_QQQQQQQQ", "docs/settings.md lists all."),
        ("FOOTNOTE_TOKEN_ROLE_CLAIM", "it was removed: it is role of FOOTNOTE_CLAIMS."),
        ("FOOTNOTE_TOPK", "did you mean FOOTNOTE_TOP_K?"),
    )


@pytest.mark.parametrize(
    ("dense", "lexical", "alpha"),
    [("3", "1", 0.75), ("2", "", 1.0), ("0", "0", 0.7), ("", "", 0.7)],
    ids=["share", "one", "none", "unset"],
)
def test_weights_of_another_product_make_a_share(
    dense: str, lexical: str, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUSION_WEIGHT_VECTOR", dense)
    monkeypatch.setenv("FUSION_WEIGHT_BM25", lexical)
    assert Settings().blend_alpha == alpha
    monkeypatch.setenv("FOOTNOTE_BLEND_ALPHA", "0.2")
    assert Settings().blend_alpha == 0.2
    assert Settings(blend_alpha=0.4).blend_alpha == 0.4


@pytest.mark.parametrize("weight", ["much", "-1", "nan", "inf"])
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("FUSION_WEIGHT_BM25", "FUSION_WEIGHT_VECTOR"),
        ("FUSION_WEIGHT_VECTOR", "FUSION_WEIGHT_BM25"),
    ],
)
def test_weights_that_are_no_numbers_are_refused_by_their_own_names(
    wrong: str, right: str, weight: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(right, "0.4")
    monkeypatch.setenv(wrong, weight)
    with pytest.raises(UnsupportedSettings, match="blend_alpha cannot be used") as refusal:
        settings_from(None, {})
    told = f"{refusal.value} {refusal.value.hint}"
    assert wrong in told
    assert right not in told
    own = settings_from(None, {"blend_alpha": 0.3})
    assert environment_of(own)["FOOTNOTE_BLEND_ALPHA"] == "0.3"


@pytest.mark.parametrize("variable", ["FOOTNOTE_BLEND_ALPHA", "DOCUMENT_HYBRID_RETRIEVAL_ALPHA"])
def test_of_the_names_of_a_setting_the_one_that_was_set_is_told(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "zz")
    with pytest.raises(UnsupportedSettings) as refusal:
        settings_from(None, {})
    assert refusal.value.hint == f"Set {variable} to another value."


@pytest.mark.parametrize(
    ("address", "where"),
    [
        ("9464", ("127.0.0.1", 9464)),
        ("0.0.0.0:9464", ("0.0.0.0", 9464)),
        ("[::1]:9464", ("::1", 9464)),
    ],
)
def test_server_and_metrics_are_at_a_port_with_or_without_a_host(
    address: str, where: tuple[str, int]
) -> None:
    assert Settings(metrics_address=address).metrics_at == where
    assert Settings(address=address).listens_at == where


def test_a_setting_that_was_removed_is_refused_with_what_holds_instead() -> None:
    with pytest.raises(UnsupportedSettings, match="cache_seconds") as refusal:
        settings_from(None, {"cache_seconds": 3})
    assert refusal.value.hint == "It was removed: results and answers are kept for five minutes."
    with pytest.raises(UnsupportedSettings, match="ocr_languages") as made:
        footnote.Settings(ocr_languages="deu")  # type: ignore[call-arg]
    with (
        pytest.raises(UnsupportedSettings, match="ocr_languages") as opened,
        footnote.open_sync(ocr_languages="deu"),
    ):
        pass
    for each in (made, opened):
        assert each.value.hint == (
            "It was removed: it stands behind the engine in FOOTNOTE_OCR: auto:deu+fra."
        )
    assert not REMOVED.keys() & Settings.model_fields.keys()
    assert list(REMOVED) == sorted(REMOVED)
    known = {
        *COMMAND_LINE_VARIABLES,
        *map("FOOTNOTE_{}".format, map(str.upper, Settings.model_fields)),
    }
    assert set(re.findall("FOOTNOTE_[A-Z_]+", " ".join(REMOVED.values()))) <= known


def test_what_the_changelog_says_was_removed_is_known_to_be() -> None:
    changes = (Path(__file__).parents[1] / "CHANGELOG.md").read_text("utf-8")
    removed = "".join(
        re.findall(r"^### Removed$(.*?)(?=^##|\Z)", changes, re.DOTALL | re.MULTILINE)
    )
    named = set(re.findall("FOOTNOTE_[A-Z_]+[A-Z]", removed)) - set(COMMAND_LINE_VARIABLES)
    assert named
    assert {each.removeprefix("FOOTNOTE_").lower() for each in named} <= (
        REMOVED.keys() | Settings.model_fields.keys()
    )


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("claims", "role", "it must be a JSON object with some of principal, groups, role"),
        ("claims", '{"name": "sub"}', "; name: "),
        ("claims", '{"roles": {"a": "king"}}', "; roles.a: "),
        ("login", '{"namespace": "A"}', "; namespace: "),
        ("chunk_policy", "balanced-20", "say balanced, balanced-32 to balanced-4000"),
        ("embedding_options", '{"max_tokens": 3}', "; max_tokens: it must be at least 16"),
        ("google_project", "a/b/c", "such as acme-1234, acme-1234/eu or"),
        ("address", "127.0.0.1:99999", "it must be a port from 0 to 65535, or like 0.0.0.0:8080"),
        ("address", "::1", "it must be a port from 0 to 65535, or like"),
        ("metrics_address", "0", "it must be a port from 1 to 65535, or like 0.0.0.0:9464"),
        ("log", "json:loud", "it must be debug, info, warning or error, with json: before it"),
        ("ocr", "abbyy", "it must be auto, tesseract, rapidocr or off"),
        ("gateway", '{"addresses": "10.0.0.0/99"}', "'10.0.0.0/99' is no address and no network;"),
        ("gateway", '{"addresses": "10.1.2.3/16"}', "no network, write 10.1.0.0/16; list them as"),
        ("proxy_addresses", "proxy", "'proxy' is no address and no network;"),
        ("tokens", '{"algorithms": "none"}', "there is no 'none'; name some of RS256"),
        ("tokens", '{"algorithms": ""}', "algorithms: it is empty; name some of"),
        ("login", '{"algorithms": "RS1"}', "there is no 'RS1'"),
        ("tokens", '{"jwks_url": "file:///etc/keys"}', "jwks_url: it must be an address such as"),
        ("tokens", '{"jwks_url": "http://login.example.com/keys"}', "must begin with https://"),
        ("login", '{"issuer": "http://8.8.8.8/"}', "must begin with https://"),
        ("backend_url", "backend:80", "it must be an address such as https://"),
        ("public_url", "documents.example.com", "it must be an address such as https://"),
        ("timeouts", '{"parse": 1, "parse": 2}', "'parse' is there more than once"),
        ("claims", '{"roles": {"a": "reader", "a": "admin"}}', "'a' is there more than once"),
        ("home", " ", "it is empty; name a folder"),
        ("reranker", "nobody:x", "it must begin with one of none, reader, local"),
        ("model_threads", "99999999", "it must be at most 256"),
        *(
            ("reranker", f"{named}@zz", "give it in full, such as tei@http://127.0.0.1:8081")
            for named in ("tei", "jina", "none", "local", "vertex", "cohere:rerank-v3.5")
        ),
        ("reranker", "tei@ftp://zz", "behind @ stands no address of http or https"),
        *(
            (setting, value, said)
            for setting in ("language_model", "vision_model", "answer_models")
            for value, said in (
                ("zzz", "it names no model; give one such as openai:MODEL or MODEL@http://"),
                ("openai@http://127.0.0.1:9/v1", "it names no model"),
                ("compatible:x", "it names no model; give one such as openai:MODEL"),
                ("m@zz", "behind @ stands no address of http or https"),
                ("openai:m@zz", "behind @ stands no address of http or https"),
                (
                    "anthropic:m@localhost",
                    "give it in full, such as MODEL@http://127.0.0.1:8000/v1",
                ),
                ("m@http://", "behind @ stands no address of http or https"),
                ("opnai:m", "the vendor 'opnai' is not known; known are alibaba, anthropic, "),
                ("llama3:8b@http://127.0.0.1:9/v1", "is compatible:MODEL@http://127.0.0.1:8000"),
                ("google-gla:m", "the vendor 'google-gla' is called google now"),
            )
        ),
        ("speech", "anthropic:m", "openai alone is; give a model such as openai:whisper-1"),
        ("answer_models", "openai:m, zzz", "it names no model"),
        ("embedding_models", "compatible:m@zz", "such as compatible:MODEL@http://127.0.0.1"),
        ("embedding_models", "minilm,compatible:m@ftp://zz", "behind @ stands no address"),
        ("embedding_models", "openai:m@zz", "such as compatible:MODEL@http://127.0.0.1"),
        ("embedding_models", "compatible:m", "has its address behind it, such as compatible:"),
        ("speech", "openai:whisper-1@zz", "give it in full, such as whisper-1@http://"),
        ("speech", "whisper-1@zz", "give it in full, such as whisper-1@http://127.0.0.1:8000/v1"),
        ("google_project", "acme@zz", "such as acme-1234/eu@https://proxy.example.com"),
    ],
)
def test_members_of_a_setting_are_checked(name: str, value: str, said: str) -> None:
    with pytest.raises(UnsupportedSettings) as refusal:
        settings_from(None, {name: value})
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"tokens": {"jwks_url": "http://keycloak:8080/realms/main/certs"}},
        {"tokens": {"jwks_url": "http://10.0.0.7/keys"}, "log": "json", "ocr": "auto:deu+fra"},
        {"login": {"issuer": "http://id.auth.svc.cluster.local"}, "metrics_address": "9464"},
        {"gateway": {"addresses": "10.0.0.7, 10.1.0.0/16,::1"}, "google_project": "a/eu@https://p"},
        {"answer_models": "google-cloud:claude@20250514, qwen3@http://127.0.0.1:8000/v1,"},
        {"speech": "/srv/whisper@v2", "reranker": "vertex:semantic-ranker-default@latest"},
        {"vision_model": "compatible:llama3:8b@http://127.0.0.1:8000/v1", "speech": "a:b/whisper"},
        {"speech": "openai:whisper-1", "reranker": "local:/srv/ranker@v2", "model_threads": 256},
        {"embedding_models": "google-cloud:m@001#512,compatible:m@https://p/v1,fastembed:/srv/m"},
    ],
    ids=str,
)
def test_what_stands_for_something_is_taken(settings: dict[str, object]) -> None:
    settings_from(None, settings)


def test_keys_and_prices_name_each_thing_once() -> None:
    for read in (model_keys_from, prices_from):
        with pytest.raises(UnsupportedSettings, match="'openai' is there more than once"):
            read('{"openai": {}, "openai": {}}')


def test_an_empty_home_is_not_taken_for_that_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_HOME", "")
    with pytest.raises(UnsupportedSettings, match="FOOTNOTE_HOME is empty") as refusal:
        settings_from(None, {})
    assert "unset it" in str(refusal.value.hint)
    assert settings_from(None, {"home": "/srv"}).home == Path("/srv")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("chunk_clusters", "it was removed: it is chunks, or all, of FOOTNOTE_CLUSTERS"),
        ("FOOTNOTE_FACTS_BY_MODEL", "it was removed: it is model of FOOTNOTE_FACTS"),
        ("top-k", "did you mean top_k?"),
        ("clustres", "did you mean clusters?"),
        ("answer_models", "it is for the whole installation: set FOOTNOTE_ANSWER_MODELS"),
        ("qqqq", "there are plan, top_k, "),
    ],
)
def test_a_name_that_no_workspace_has_a_setting_of_is_told_what_holds(
    name: str, meant: str
) -> None:
    assert per_workspace(name) is None
    assert similar_names_hint(name).startswith(meant)


def test_another_process_comes_to_the_same_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = settings_from(
        None,
        {
            "home": tmp_path,
            "database_url": "postgresql://app:pass%40word@db/footnote",
            "blob_options": '{"secret_access_key": "s3cret"}',
            "timeouts": {"worker": 1.5},
            "reranker_enabled": False,
            "ocr": "off",
        },
    )
    environment = environment_of(given)
    assert "FOOTNOTE_ADDRESS" not in environment, "what nobody set is left out"
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert settings_from(None, {}) == given


@pytest.mark.parametrize("seconds", [float("inf"), 1e99, 0])
@pytest.mark.parametrize("what", ["search", "worker", "replica"])
def test_a_time_limit_is_of_this_world(what: str, seconds: float) -> None:
    with pytest.raises(UnsupportedSettings, match="timeouts"):
        settings_from(None, {"timeouts": {what: seconds}})


@pytest.mark.parametrize("urls", ["postgresql://a/x,postgresql://b/x", "postgresql://a/x, b@c/x"])
def test_several_replicas_that_have_no_spaces_between_them_are_told_apart_from_one(
    urls: str,
) -> None:
    with pytest.raises(UnsupportedSettings) as refused:
        settings_from(None, {"replica_database_urls": urls})
    assert "spaces" in f"{refused.value} {refused.value.hint}"


@pytest.mark.parametrize("name", ["direct_database_url", "owner_database_url"])
async def test_another_way_to_a_server_that_is_not_named_is_refused(
    tmp_path: Path, name: str
) -> None:
    settings = settings_from(None, {"home": tmp_path / "home", name: "postgresql://u@db/x"})
    with pytest.raises(UnsupportedSettings, match=name) as refused:
        async with footnote.open(settings):
            pass
    assert "FOOTNOTE_DATABASE_URL" in str(refused.value.hint)
    assert not (tmp_path / "home").exists()
