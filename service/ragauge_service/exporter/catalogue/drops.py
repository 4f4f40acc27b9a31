"""What the detectors say; a category or retriever of "" stands for all of them together."""

from typing import Final

from ragauge_service.exporter.catalogue.metric import Metric

DETECTOR: Final = ("category", "retriever", "evidence", "measure")
STATES: Final = ("ok", "learning", "alarm", "held")


def _gauge(name: str, words: str, query: str) -> Metric:
    return Metric(name=name, kind="gauge", labels=DETECTOR, help=words, query=query, series="detectors")


DROPS: Final = (
    _gauge(
        "ragauge_drop_alarm",
        "1 while a drop's alarm stands (latched until it is acknowledged or recovered), else 0.",
        "max without (instance, pod, measure) (ragauge_drop_alarm) == 1",
    ),
    _gauge(
        "ragauge_drop_log_e_value",
        "Natural logarithm of the evidence for a drop; the alarm comes at the threshold.",
        "ragauge_drop_log_e_value / ragauge_drop_threshold",
    ),
    _gauge(
        "ragauge_drop_threshold",
        "Natural logarithm of the evidence at which the alarm comes.",
        "ragauge_drop_log_e_value > 0.5 * ragauge_drop_threshold",
    ),
    _gauge(
        "ragauge_drop_baseline",
        "What the detector compares with: the learned mean, less its slack.",
        'ragauge_drop_baseline{measure="MRR@10"}',
    ),
    _gauge(
        "ragauge_drop_size",
        "How far the mean lies under the baseline since the onset; positive is worse.",
        "topk(5, ragauge_drop_size)",
    ),
    _gauge(
        "ragauge_drop_size_lower",
        "Lower bound of the drop's size, by a confidence sequence.",
        "ragauge_drop_size_lower > 0.05",
    ),
    _gauge(
        "ragauge_drop_size_upper",
        "Upper bound of the drop's size, by a confidence sequence.",
        "ragauge_drop_size_upper - ragauge_drop_size_lower",
    ),
    _gauge(
        "ragauge_drop_onset_timestamp_seconds",
        "Unix time at which the drop began, as estimated.",
        "time() - ragauge_drop_onset_timestamp_seconds",
    ),
    _gauge(
        "ragauge_drop_observations_needed",
        "How many retrievals it takes to see a drop of 10 %.",
        "topk(5, ragauge_drop_observations_needed)",
    ),
    Metric(
        name="ragauge_detector_state",
        kind="gauge",
        labels=(*DETECTOR, "state"),
        help="1 for the state that a detector is in; its other states are absent.",
        query="count by (state) (ragauge_detector_state == 1)",
        series="detectors",
    ),
)
