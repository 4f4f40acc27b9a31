"""``GET /v1/failures``: the worst retrievals, and for an alarm the queries before and after its onset."""

from fastapi import APIRouter

router = APIRouter(tags=["quality"])
