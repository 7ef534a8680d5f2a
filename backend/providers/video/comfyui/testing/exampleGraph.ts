/** A file of `DATA_DIR/comfyui`, shortened to the nodes that matter. */
export const WAN = {
  model: {
    names: { en: 'Wan 2.2', zh: '万相 2.2' },
    descriptions: { en: 'Renders on our own GPU', zh: '在自有显卡上生成' },
    shapes: [
      { taskTypes: ['text_to_video', 'image_to_video'], resolutions: ['480P', '720P'], seconds: [5], credits: 20 },
    ],
    aspectRatios: ['16:9', '9:16'],
  },
  bindings: {
    prompt: '6.text',
    negativePrompt: '7.text',
    seed: '3.seed',
    width: '55.width',
    height: '55.height',
    frames: '55.length',
    firstFrame: '52.image',
  },
  output: '9',
  fps: 16,
  centsPerGpuSecond: 0.1,
  graph: {
    '3': { class_type: 'KSampler', inputs: { seed: 1, steps: 20, positive: ['6', 0], negative: ['7', 0] } },
    '6': { class_type: 'CLIPTextEncode', inputs: { text: '', clip: ['38', 0] } },
    '7': { class_type: 'CLIPTextEncode', inputs: { text: 'static', clip: ['38', 0] } },
    '9': { class_type: 'SaveVideo', inputs: { filename_prefix: 'kinora', format: 'mp4', codec: 'h264' } },
    '38': { class_type: 'CLIPLoader', inputs: { clip_name: 'umt5_xxl.safetensors', type: 'wan' } },
    '52': { class_type: 'LoadImage', inputs: { image: 'example.png' } },
    '55': { class_type: 'EmptyHunyuanLatentVideo', inputs: { width: 832, height: 480, length: 81, batch_size: 1 } },
  },
}
