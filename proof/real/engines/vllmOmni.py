"""Serves vLLM-Omni's own `/v1/videos` with a stub in place of the model.

The routes, the form parser, the request models, the stores and MiniMax-H3's rules for ratio and size are those of the wheel. Only the
engine is replaced: it draws a test picture with ffmpeg.

Usage: vllmOmni.py <folder of the unpacked wheel> <port> <served model> <folder for videos>
"""

import ast
import asyncio
import importlib

import math
import os
import subprocess
import sys
import time
import types
import typing

import stubs

folder, port, model, videos = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
OPENAI = "vllm_omni.entrypoints.openai"
REAL = [
    f"{OPENAI}.protocol.videos",
    f"{OPENAI}.stores",
    f"{OPENAI}.video.generation.helpers",
    f"{OPENAI}.image_api_utils",
    f"{OPENAI}.video_api_utils",
    f"{OPENAI}.errors",
    "vllm_omni.errors",
]

stubs.install(folder, ["vllm", "vllm_omni", "torch", "torchvision", "av", "transformers", "diffusers"], REAL)

import logging  # noqa: E402

importlib.import_module("vllm.logger").init_logger = logging.getLogger
importlib.import_module("vllm").envs = type("Envs", (), {"__getattr__": lambda *_: 0})()
importlib.import_module("vllm_omni.inputs.data").DIFFUSION_QUALITY_LEVELS = ("lossless", "high")
protocol, stores, helpers = (importlib.import_module(name) for name in REAL[:3])
errors = importlib.import_module("vllm_omni.errors")

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Query, Request  # noqa: E402
from fastapi.responses import FileResponse, JSONResponse, Response  # noqa: E402


def definitions(path, names, scope):
    """Executes the constants of a module of the wheel, and those of its functions that are named."""
    with open(f"{folder}/{path}") as source:
        tree = ast.parse(source.read())
    for node in tree.body:
        is_wanted = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in names
        if is_wanted or (isinstance(node, (ast.Assign, ast.AnnAssign)) and "MINIMAX_H3" in ast.unparse(node)[:40]):
            exec(compile(ast.Module([node], []), path, "exec"), scope)
    return scope


h3 = definitions(
    "vllm_omni/model_executor/models/minimax_h3/preprocessing.py",
    ["resolve_minimax_h3_aspect_ratio", "resolve_minimax_h3_output_canvas", "_align_multiple"],
    {"math": math, "np": importlib.import_module("numpy"), "Any": typing.Any, "OmniClientError": errors.OmniClientError}
    | {"Image": importlib.import_module("PIL.Image")},
)


class Handle:
    def __init__(self, path):
        self.path = path


class Storage:
    def path(self, key):
        return os.path.join(videos, f"{key}.mp4")

    async def save(self, data, key):
        with open(self.path(key), "wb") as file:
            file.write(data)
        return types.SimpleNamespace(key=key, created_at=int(time.time()), expires_at=None)

    async def open(self, key):
        return Handle(self.path(key)) if os.path.exists(self.path(key)) else None

    async def delete(self, key):
        if os.path.exists(self.path(key)):
            os.unlink(self.path(key))


class Engine:
    model_name, stage_configs = model, None
    supports_mixed_reference_inputs = "h3" in model.lower()
    supports_latent_mask_editing, supported_control_upload_types = False, frozenset()

    def set_stage_configs_if_missing(self, _):
        """Has no stages."""

    async def abort_request(self, _):
        """The task of the request is cancelled by its route."""

    async def generate_video_bytes(self, request, request_id, reference_image=None, on_started=None, **_):
        data = None if reference_image is None else reference_image.data
        pictures = [] if data is None else data if isinstance(data, list) else [data]
        size = self.size_of(request, pictures)
        if on_started:
            await on_started()
        await asyncio.sleep(30 if "SLOW" in request.prompt else 0.5)
        if "OUT OF MEMORY" in request.prompt:
            raise helpers.EngineGenerateError("CUDA out of memory. Tried to allocate 2.00 GiB")
        path = os.path.join(videos, f"{request_id}.part.mp4")
        seconds = float(request.seconds or 4)
        source = ["-f", "lavfi", "-i", f"testsrc=size={size}:rate=24", "-t", str(seconds)]
        command = ["ffmpeg", "-y", "-v", "error", *source, "-pix_fmt", "yuv420p", "-preset", "ultrafast", path]
        await asyncio.to_thread(subprocess.run, command, check=True)
        with open(path, "rb") as file:
            made = file.read()
        os.unlink(path)
        return made, {}, 0.0, None, {"fps": 24, "num_frames": int(seconds * 24), "duration_s": seconds}

    def size_of(self, request, pictures):
        params = request.resolve_video_params()
        if not self.supports_mixed_reference_inputs or params.width:
            return f"{params.width or 832}x{params.height or 480}"
        extra = {**(request.model_extra or {}), **(getattr(request, "extra_params", None) or {})}
        asked = {name: getattr(request, name, None) or extra.get(name) for name in ("aspect_ratio", "short_edge")}
        task = extra.get("task") or ("fl2va" if pictures else "t2va")
        ratio = h3["resolve_minimax_h3_aspect_ratio"](task, asked["aspect_ratio"], pictures[0] if pictures else None)
        height, width = h3["resolve_minimax_h3_output_canvas"](ratio, int(asked["short_edge"] or 768))
        return f"{width}x{height}"


engine, router = Engine(), APIRouter()
helpers.STORAGE_MANAGER = Storage()
helpers.Omnivideo = lambda _: engine
helpers._resolve_video_runtime_context = lambda _: (model, None)
helpers._unpack_video_generation_result = lambda result: result
helpers._validate_latent_edit_inputs = lambda *_, **__: False
helpers._validate_control_upload = lambda *_, **__: None


def error_response(error, *_, **__):
    return types.SimpleNamespace(error=types.SimpleNamespace(message=str(error), type="InternalServerError", code=500))


helpers.create_error_response = error_response


async def single_store():
    """Its jobs are in this process."""


definitions(
    "vllm_omni/entrypoints/openai/api_server.py",
    ["create_video", "list_videos", "retrieve_video", "delete_video", "download_video"],
    {**vars(typing), **vars(protocol), **vars(helpers)}
    | {"router": router, "asyncio": asyncio, "logger": logging.getLogger("vllm"), "VIDEO_ABORT_TIMEOUT_S": 2.0}
    | {"STORAGE_MANAGER": helpers.STORAGE_MANAGER, "FileStorageHandle": Handle, "ErrorResponse": protocol.BaseModel}
    | {"VIDEO_STORE": stores.VIDEO_STORE, "VIDEO_TASKS": stores.VIDEO_TASKS, "_require_single_api_video_store": single_store}
    | {"APIRouter": APIRouter, "Depends": Depends, "HTTPException": HTTPException, "Query": Query, "Request": Request}
    | {"FileResponse": FileResponse, "JSONResponse": JSONResponse, "Response": Response, "HTTPStatus": helpers.HTTPStatus},
)
app = FastAPI()
app.include_router(router)
app.state.openai_serving_video = engine


@app.get("/v1/models")
def models():
    # As vLLM's own route, which is not part of this wheel.
    return {"object": "list", "data": [{"id": model, "object": "model", "owned_by": "vllm"}]}


@app.get("/health")
def health():
    return Response()


import uvicorn  # noqa: E402

uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
