const int = (fallback: number, more: object = {}) => ['INT', { default: fallback, min: 0, max: 2 ** 53, ...more }]
const TEXT = ['STRING', { multiline: true, dynamicPrompts: true, tooltip: 'The text to be encoded.' }]

/** Inputs of core nodes as ComfyUI describes them, in their order. */
const INPUTS: Readonly<Record<string, readonly [required: object, optional?: object]>> = {
  KSampler: [
    {
      model: ['MODEL', {}],
      seed: int(0, { control_after_generate: true }),
      steps: int(20),
      cfg: ['FLOAT', { default: 8, min: 0, max: 100, step: 0.1, round: 0.01 }],
      sampler_name: [['euler', 'uni_pc'], {}],
      scheduler: [['normal', 'simple'], {}],
      positive: ['CONDITIONING', {}],
      negative: ['CONDITIONING', {}],
      latent_image: ['LATENT', {}],
      denoise: ['FLOAT', { default: 1, min: 0, max: 1, step: 0.01 }],
    },
  ],
  CLIPTextEncode: [{ text: TEXT, clip: ['CLIP', {}] }],
  UNETLoader: [{ unet_name: [['wan2.2_ti2v_5B_fp16.safetensors'], {}], weight_dtype: [['default', 'fp8_e4m3fn'], {}] }],
  CLIPLoader: [{ clip_name: [['umt5_xxl.safetensors'], {}], type: [['wan', 'hunyuan'], {}] }],
  VAELoader: [{ vae_name: [['wan2.2_vae.safetensors'], {}] }],
  VAEDecode: [{ samples: ['LATENT', {}], vae: ['VAE', {}] }],
  EmptyHunyuanLatentVideo: [{ width: int(848), height: int(480), length: int(25), batch_size: int(1) }],
  LoadImage: [{ image: [['example.png'], { image_upload: true }] }],
  EmptyImage: [{ width: int(512), height: int(512), batch_size: int(1), color: int(0) }],
  ImageBlur: [{ image: ['IMAGE', {}], blur_radius: int(1), sigma: ['FLOAT', { default: 1, min: 0.1, max: 10 }] }],
  CreateVideo: [{ images: ['IMAGE', {}], fps: ['FLOAT', { default: 30, min: 1, max: 120 }] }, { audio: ['AUDIO', {}] }],
  SaveImage: [{ images: ['IMAGE', {}], filename_prefix: ['STRING', { default: 'ComfyUI' }] }],
  SaveVideo: [
    {
      video: ['VIDEO', {}],
      filename_prefix: ['STRING', { default: 'video/ComfyUI' }],
      format: ['COMBO', { default: 'auto', options: ['auto', 'mp4', 'mkv', 'webm'] }],
      codec: ['COMBO', { default: 'auto', options: ['auto', 'h264', 'vp9'] }],
    },
  ],
}

/** Returns what `GET /object_info` says of a node. */
export function describeNode(name: string): object {
  const [required = {}, optional] = INPUTS[name] ?? []
  return {
    input: { required, ...(optional ? { optional } : {}) },
    input_order: { required: Object.keys(required), ...(optional ? { optional: Object.keys(optional) } : {}) },
    name,
    display_name: name,
    description: '',
    python_module: 'nodes',
    category: '',
    output_node: name.startsWith('Save'),
  }
}

export const CORE_NODES = Object.keys(INPUTS)
