"""Serves SGLang's own `/v1/videos` with a stub in place of the model.

The routes, the form parser, the request model, the job store and MiniMax-H3's adapter and validation are those of the wheel. Only the
scheduler is replaced: it draws a test picture with ffmpeg.

Usage: sglang.py <folder of the unpacked wheel> <port> <served model> <folder for videos>
"""

import asyncio
import importlib
import os
import subprocess
import sys
import types
import uuid

import stubs

folder, port, model, videos = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
ROOT = "sglang.multimodal_gen"
OPENAI = f"{ROOT}.runtime.entrypoints.openai"
H3 = f"{ROOT}.runtime.pipelines_core.stages.model_specific_stages.minimax_h3"
REAL = [
    f"{ROOT}.configs.utils",
    f"{ROOT}.configs.task_type",
    f"{ROOT}.runtime.utils.image_io",
    f"{OPENAI}.protocol",
    f"{OPENAI}.stores",
    f"{OPENAI}.utils",
    f"{OPENAI}.video_api",
    f"{OPENAI}.common_api",
    *(f"{H3}.{name}" for name in ("constants", "task_profiles", "time_request", "request_validation", "video_adapter")),
]
stubs.install(folder, ["sglang", "torch", "av", "transformers", "zmq", "orjson"], REAL)

protocol, utils, video_api, common_api, validation, adapter = (
    importlib.import_module(name)
    for name in (
        *(f"{OPENAI}.{name}" for name in ("protocol", "utils", "video_api", "common_api")),
        f"{H3}.request_validation",
        f"{H3}.video_adapter",
    )
)
task_type = importlib.import_module(f"{ROOT}.configs.task_type")
is_h3 = "h3" in model.lower()
# As `task_type` of the configurations of these models in the wheel, which need PyTorch.
task = "T2I" if "Image" in model else "I2V" if "-I2V-" in model else "TI2V"
hooks = adapter.MiniMaxH3VideoModelAdapter()


class Params:
    """What the model's own class of sampling parameters is to the routes."""

    prompt_optional = False

    @classmethod
    def video_request_extra_fields(cls):
        return hooks.model_specific_fields if is_h3 else frozenset()

    @classmethod
    def lower_video_request_kwargs(cls, request, kwargs):
        return hooks.lower_video_request_kwargs(request, kwargs) if is_h3 else kwargs

    def __init__(self, **kwargs):
        self.num_frames, self.fps = 96, 24
        self.__dict__.update({name: value for name, value in kwargs.items() if value is not None})
        if is_h3:
            canonical = validation.minimax_h3_validate_canonical_request(**kwargs)
            target = canonical["target"]
            self.width, self.height = 1376, target["short_edge"]
            self.num_frames = int(target["duration_seconds"] * 24)
        elif self.__dict__.get("size"):
            self.width, self.height = (int(side) for side in self.size.split("x"))

    width, height, data_type = 832, 480, None

    def output_file_path(self):
        return os.path.join(videos, f"{self.output_file_name}.mp4")

    def prepare_video_request_for_queue(self, batch):
        """Prepares nothing: there is no model."""

    def expand_video_request_outputs_for_queue(self, batch):
        return None

    def project_video_queued_job_fields(self, batch):
        return {}

    def validate_video_final_outputs(self, paths, batch):
        return {}

    def cleanup_video_request(self, batch):
        """Keeps nothing."""


async def render(_, batch, scheduler_batches=None):
    params = batch.sampling_params
    await asyncio.sleep(30 if "SLOW" in params.prompt else 0.5)
    if "OUT OF MEMORY" in params.prompt:
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
    path = params.output_file_path()
    size = f"{params.width}x{params.height}"
    source = ["-f", "lavfi", "-i", f"testsrc=size={size}:rate=24", "-t", str(params.num_frames / 24)]
    command = ["ffmpeg", "-y", "-v", "error", *source, "-pix_fmt", "yuv420p", "-preset", "ultrafast", path]
    await asyncio.to_thread(subprocess.run, command, check=True)
    return [path], types.SimpleNamespace()


settings = types.SimpleNamespace(
    served_model_name=model, model_path=model, input_save_path=None, output_path=videos, num_gpus=1
)
overrides = dict(
    get_global_server_args=lambda: settings,
    resolve_sampling_params_cls=lambda _: Params,
    request_model_kwargs=lambda *_: {},
    build_sampling_params=lambda request_id, **kwargs: Params(**kwargs),
    process_generation_batch=render,
    prepare_request=lambda server_args, sampling_params, **_: types.SimpleNamespace(
        sampling_params=sampling_params, num_outputs_per_prompt=1, extra={}
    ),
    add_common_data_to_response=lambda fields, **_: fields,
    extract_trace_headers=lambda _: None,
    SamplingParams=Params,
    DataType=task_type.DataType,
    generate_request_id=lambda: str(uuid.uuid4()),
)
for name, value in overrides.items():
    setattr(video_api, name, value)


async def unchanged(_, prompt, **__):
    return prompt


async def no_cloud(_):
    return None


video_api.maybe_enhance_prompt = unchanged
video_api.cloud_storage = types.SimpleNamespace(upload_and_cleanup=no_cloud)
video_api.save_image_to_path = utils.save_image_to_path

from fastapi import FastAPI  # noqa: E402
from fastapi.responses import JSONResponse  # noqa: E402

app = FastAPI()
app.include_router(video_api.router)


@app.get("/v1/models")
def models():
    card = common_api.DiffusionModelCard(
        id=model, root=model, num_gpus=1, task_type=task, supported_task_types=[task_type.ModelTaskType.parse(task).name]
    )
    return JSONResponse({"object": "list", "data": [card.model_dump()]})


@app.get("/health")
def health():
    return {"status": "ok"}


import uvicorn  # noqa: E402

uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
