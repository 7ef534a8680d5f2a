import load, { WasmReader } from '@contentauth/c2pa-wasm'
import { readFile } from './readFile.ts'

// The file stays in the browser. Only this reader is fetched, once.
let loading: ReturnType<typeof load> | undefined

type Question = Readonly<{ wasm: string; file: File; anchors: string }>

self.onmessage = async ({ data: { wasm, file, anchors } }: MessageEvent<Question>) => {
  try {
    loading ??= load({ module_or_path: wasm })
    await loading
    const read = async (...args: Parameters<typeof WasmReader.fromBlob>) => {
      const reader = await WasmReader.fromBlob(...args)
      try {
        return reader.json()
      } finally {
        reader.free()
      }
    }
    self.postMessage({
      reading: await readFile(file, (blob, format, settings) => read(format, blob, settings), anchors),
    })
  } catch (error) {
    self.postMessage({ fault: String(error) })
  }
}
