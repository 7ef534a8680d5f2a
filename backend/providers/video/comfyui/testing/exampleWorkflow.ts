type Value = string | number
interface EditorNode {
  readonly id: number
  readonly type: string
  readonly mode: number
  readonly inputs: readonly { readonly name: string; readonly type: string; readonly link: number }[]
  readonly widgets_values: readonly Value[]
}

const LINKS: (readonly [number, number, number, number, number, string])[] = []
const node = (
  id: number,
  type: string,
  widgets_values: readonly Value[] = [],
  from: Readonly<Record<string, readonly [node: number, slot: number, type: string]>> = {},
): EditorNode => {
  const inputs = Object.entries(from).map(([name, [origin, slot, kind]], at) => {
    const link = LINKS.length + 1
    LINKS.push([link, origin, slot, id, at, kind])
    return { name, type: kind, link }
  })
  return { id, type, mode: 0, inputs, widgets_values }
}

const NODES = [
  node(37, 'UNETLoader', ['wan2.2_ti2v_5B_fp16.safetensors', 'default']),
  node(38, 'CLIPLoader', ['umt5_xxl.safetensors', 'wan']),
  node(39, 'VAELoader', ['wan2.2_vae.safetensors']),
  node(6, 'CLIPTextEncode', ['a fox in the snow'], { clip: [38, 0, 'CLIP'] }),
  node(7, 'CLIPTextEncode', ['blurry, static'], { clip: [38, 0, 'CLIP'] }),
  node(55, 'EmptyHunyuanLatentVideo', [832, 480, 81, 1]),
  node(3, 'KSampler', [42, 'randomize', 20, 5, 'uni_pc', 'simple', 1], {
    model: [37, 0, 'MODEL'],
    positive: [60, 0, 'CONDITIONING'],
    negative: [7, 0, 'CONDITIONING'],
    latent_image: [55, 0, 'LATENT'],
  }),
  node(60, 'Reroute', [], { '': [6, 0, 'CONDITIONING'] }),
  node(8, 'VAEDecode', [], { samples: [3, 0, 'LATENT'], vae: [39, 0, 'VAE'] }),
  node(57, 'CreateVideo', [16], { images: [8, 0, 'IMAGE'] }),
  node(9, 'SaveVideo', ['video/wan', 'auto', 'auto'], { video: [57, 0, 'VIDEO'] }),
  node(70, 'MarkdownNote', ['How to use this workflow']),
]

/** A workflow of Wan 2.2 as the editor saves it. */
export const WORKFLOW = { version: 0.4, last_node_id: 70, nodes: NODES, links: LINKS, groups: [], extra: {} }
