import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

type Nodes = Readonly<Record<string, { readonly class_type: string; readonly inputs: object }>>

/** A film of one colour: prompt, size and frames have inputs of their own. */
const graphOf = (images: string, save: Nodes, more: Nodes = {}): Nodes => ({
  '3': { class_type: 'EmptyImage', inputs: { width: 512, height: 512, batch_size: 1, color: 4_456_703 } },
  '6': { class_type: 'PrimitiveString', inputs: { value: 'x' } },
  '61': { class_type: 'PreviewAny', inputs: { source: ['6', 0] } },
  '8': { class_type: 'CreateVideo', inputs: { images: [images, 0], fps: 16 } },
  ...save,
  ...more,
})
const saved = (format: string): Nodes => ({
  '9': { class_type: 'SaveVideo', inputs: { video: ['8', 0], filename_prefix: 'kinora/test', format, codec: 'auto' } },
})
const blurred = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => {
    const image = [n === 0 ? '3' : String(99 + n), 0]
    return [String(100 + n), { class_type: 'ImageBlur', inputs: { image, blur_radius: 15, sigma: 5 } }]
  }),
)
const resized = {
  '40': {
    class_type: 'ResizeImageMaskNode',
    inputs: {
      ...{ input: ['3', 0], resize_type: 'scale dimensions', scale_method: 'area' },
      ...{ 'resize_type.width': 512, 'resize_type.height': 512, 'resize_type.crop': 'center' },
    },
  },
}
const webm: Nodes = {
  '9': {
    class_type: 'SaveWEBM',
    inputs: { images: ['3', 0], filename_prefix: 'kinora/test', codec: 'vp9', fps: 16, crf: 32 },
  },
}
const pictures: Nodes = {
  '9': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'kinora/test' } },
}
/** Name of an uploaded file that is no picture. */
export const UNREADABLE = 'kinora-unreadable.png'
const loading = (image: string) => ({ class_type: 'LoadImage', inputs: { image } })
const repeated = {
  '10': loading('example.png'),
  '4': { class_type: 'RepeatImageBatch', inputs: { image: ['10', 0], amount: 16 } },
}
export const BINDINGS = { prompt: '6.value', width: '3.width', height: '3.height', frames: '3.batch_size' }

interface Graph {
  readonly graph: Nodes
  /** What becomes of an order, or what the operator reads of it. */
  readonly ends: 'film' | 'cancelled' | RegExp
  readonly bindings?: object
  /** What older servers lack: a node, or a value of one of its inputs. They refuse the order with its name. */
  readonly needs?: readonly [node: string, input?: string, value?: string]
}

/** Graphs without models, by the names of their files. */
export const GRAPHS: Readonly<Record<string, Graph>> = {
  mp4: { graph: graphOf('3', saved('mp4')), ends: 'film' },
  mkv: { graph: graphOf('3', saved('mkv')), ends: 'film', needs: ['SaveVideo', 'format', 'mkv'] },
  webm: { graph: graphOf('3', webm), ends: 'film' },
  pictures: { graph: graphOf('3', pictures), ends: 'film' },
  dotted: {
    graph: graphOf('40', saved('mp4'), resized),
    bindings: { ...BINDINGS, width: '40.resize_type.width', height: '40.resize_type.height' },
    ends: 'film',
    needs: ['ResizeImageMaskNode'],
  },
  frame: {
    graph: graphOf('4', saved('mp4'), repeated),
    bindings: { prompt: '6.value', frames: '4.amount', firstFrame: '10.image' },
    ends: 'film',
  },
  broken: { graph: graphOf('3000', saved('mp4')), ends: /node 8 \(CreateVideo\)/ },
  missing: {
    graph: graphOf('5', saved('mp4'), { '5': { class_type: 'NoSuchNode', inputs: {} } }),
    ends: /NoSuchNode/,
  },
  fails: { graph: graphOf('10', saved('mp4'), { '10': loading(UNREADABLE) }), ends: /Node 10 \(LoadImage\)/ },
  slow: { graph: graphOf('111', saved('mp4'), blurred), ends: 'cancelled' },
}

/** Writes the graphs as the files of an operator. */
export function writeGraphs(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, { graph, bindings = BINDINGS }] of Object.entries(GRAPHS)) {
    const names = { en: `Graph ${name}`, zh: `工作流 ${name}` }
    const taskTypes = ['firstFrame' in bindings ? 'image_to_video' : 'text_to_video']
    const shapes = [{ taskTypes, resolutions: ['480P'], seconds: [1, 4], credits: 1 }]
    const model = { names, descriptions: names, shapes, aspectRatios: ['16:9'] }
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify({ model, bindings, output: '9', fps: 16, graph }))
  }
}
