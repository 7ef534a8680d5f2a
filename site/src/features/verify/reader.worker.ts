import load, { WasmReader } from '@contentauth/c2pa-wasm'
import wasm from '@contentauth/c2pa-wasm/c2pa.wasm?url'
import { readFile } from './readFile.ts'

// The file stays in the browser. Only this reader is fetched, once.
const loading = load({ module_or_path: wasm })

self.onmessage = async ({ data: { file, anchors } }: MessageEvent<{ file: File; anchors: string }>) => {
  try {
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
