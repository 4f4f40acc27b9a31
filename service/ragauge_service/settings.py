"""Every setting of the service: what it is, its default, and the environment variable it is read from."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ragauge.errors import ConfigurationError
from ragauge_service.core.config import EngineConfig, duration_ms

PREFIX: Final = "RAGAUGE_SERVICE_"
ROLES: Final = ("api", "worker", "monitor")

Words = Annotated[tuple[str, ...], NoDecode]
Numbers = Annotated[tuple[int, ...], NoDecode]


class Settings(BaseSettings):
    """The settings of one instance; lists are separated by commas, durations are ``30s``, ``24h``, ``7d``."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore")

    host: str = Field("127.0.0.1", description="Address to listen on; another than loopback needs API keys.")
    port: int = Field(8321, ge=0, le=65535, description="Port to listen on.")
    store_url: str | None = Field(
        None,
        description="Address of a Redis or Valkey server; the embedded store without one.",
    )
    data_dir: Path = Field(Path(".ragauge"), description="Directory of the embedded store.")
    namespace: str = Field(
        "default",
        validation_alias="RAGAUGE_NAMESPACE",
        description="Separates, say, staging from production on one server.",
    )
    roles: Words = Field(ROLES, description="What this instance does: api, worker, monitor.")
    workers: int = Field(1, ge=1, le=64, description="Worker processes of this instance.")
    api_keys_file: Path | None = Field(
        None, description="File of hashed API keys, which `ragauge keys add` makes."
    )
    body_limit: int = Field(
        4 * 1024 * 1024, ge=1024, description="Largest request body in bytes, after decompression."
    )
    rate_limit: int = Field(0, ge=0, description="Requests a second and client, 0 for no limit.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="How much is logged to standard error."
    )

    shards: int = Field(16, ge=1, le=1024, description="Shards of the namespace: chosen once.")
    depth: int = Field(10, ge=1, le=100, description="K: how deep the first relevant rank is told apart.")
    cutoffs: Numbers = Field((1, 3, 5, 10), description="Cutoffs of the measures.")
    relevance_level: int = Field(1, ge=1, description="Grade from which a document is relevant.")
    join_horizon: str = Field("10m", description="How long signals may come after their retrieval.")
    rescore_horizon: str = Field("1h", description="How far back changed judgments rescore.")
    windows: Words = Field(("1h", "24h", "7d"), description="Windows of the rolling means.")
    categories: int = Field(200, ge=1, description="Categories told apart; the rest is `__other__`.")
    retrievers: int = Field(50, ge=1, description="Retrievers told apart.")
    variants: int = Field(50, ge=1, description="Variants told apart.")

    false_alarm_days: float = Field(
        90.0, gt=0, description="Days between false alarms, over all detectors together."
    )
    slack: float = Field(0.01, ge=0, le=0.5, description="Share of a baseline that may be lost unalarmed.")
    objectives: dict[str, float] = Field(
        {}, description='Pinned baselines, as JSON, such as `{"billing:MRR@10": 0.6}`.'
    )
    learning: int = Field(500, ge=1, description="Retrievals before a detector may speak.")

    @field_validator("roles", "windows", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value

    @field_validator("cutoffs", mode="before")
    @classmethod
    def _numbers(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        parts = [part.strip() for part in value.split(",")]
        if not all(part.isascii() and part.isdigit() for part in parts):
            raise ValueError("whole numbers wanted, separated by commas, such as 1,3,5,10")
        return tuple(map(int, parts))

    @field_validator("roles")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := set(value) - set(ROLES):
            raise ValueError(f"{', '.join(sorted(unknown))}: of {', '.join(ROLES)} wanted")
        return value

    @classmethod
    def read(cls, **given: Any) -> Self:
        """Return the settings of the environment, with what the command line gave before them.

        Raises:
            ConfigurationError: names the setting, what it holds, and what was wanted.
        """
        try:
            return cls(**{name: value for name, value in given.items() if value is not None})
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][0]) if first["loc"] else "settings"
            shown = name if name.isupper() else PREFIX + name.upper()
            raise ConfigurationError(f"{shown}={first['input']!r}: {first['msg']}") from None

    @property
    def engine(self) -> EngineConfig:
        """Return what shapes the state in the store."""
        return EngineConfig(
            shards=self.shards,
            depth=self.depth,
            cutoffs=self.cutoffs,
            relevance_level=self.relevance_level,
            join_horizon_ms=duration_ms(self.join_horizon),
            rescore_horizon_ms=duration_ms(self.rescore_horizon),
            windows=self.windows,
            categories=self.categories,
            retrievers=self.retrievers,
            variants=self.variants,
        )
