import type { WatchedFolder } from '#backend/kernel/watchedFolder.ts'
import type { ProviderCheck } from '#backend/tasks/videoProvider.port.ts'
import type { ComfyuiClient } from './comfyuiClient.ts'
import type { ComfyuiGraph } from './graphFile.ts'

const GIB = 2 ** 30

/** Tests that ComfyUI answers and has every node of the graphs. Tells the GPU's memory. */
export async function checkEngine(
  client: Pick<ComfyuiClient, 'devices' | 'hasNode'>,
  graphs: WatchedFolder<ComfyuiGraph>,
  signal: AbortSignal,
): Promise<ProviderCheck> {
  try {
    const devices = (await client.devices(signal)).map(
      ({ name, vram_free, vram_total }) => `${name} with ${inGib(vram_free)} of ${inGib(vram_total)} GiB free`,
    )
    const faults = [...graphs.faults()].map(([file, fault]) => `${file} is refused: ${fault.replaceAll('\n', ' ')}`)
    for (const [id, { graph }] of graphs.current()) {
      const missing = await missingNodes(client, Object.values(graph), signal)
      if (missing.length > 0) faults.push(`ComfyUI lacks nodes of the graph ${id}: ${missing.join(', ')}`)
    }
    if (graphs.current().size === 0) faults.push('There is no graph in DATA_DIR/comfyui')
    const found = `ComfyUI runs on ${devices.join(', ') || 'no GPU'}.`
    return { ok: faults.length === 0, detail: faults.length === 0 ? found : `${faults.join('. ')}.` }
  } catch (error) {
    return { ok: false, detail: (error as Error).message }
  }
}

const inGib = (bytes: number) => (bytes / GIB).toFixed(1)

async function missingNodes(
  client: Pick<ComfyuiClient, 'hasNode'>,
  nodes: readonly { readonly class_type: string }[],
  signal: AbortSignal,
): Promise<string[]> {
  const missing: string[] = []
  for (const name of new Set(nodes.map(({ class_type }) => class_type)))
    if (!(await client.hasNode(name, signal))) missing.push(name)
  return missing
}
