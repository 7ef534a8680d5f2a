import { randomInt, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type * as z from 'zod/mini'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import type { Guard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { writeAtomically } from '#backend/kernel/media/atomicFile.ts'
import { makePoster } from '#backend/kernel/media/poster.ts'
import type { Draft, GraphSetup, Proposal, TestRequest, TestState } from '#backend/operators/graphSetup.port.ts'
import type { GraphEntry } from '#backend/operators/graphs.contract.ts'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { NotSent } from '../../httpCall.ts'
import { pixelSize } from '../../pixelSize.ts'
import { ProviderError } from '../../providerError.ts'
import { createComfyuiClient } from '../comfyuiClient.ts'
import { stateOf } from '../comfyuiJob.ts'
import { fetchFilm } from '../fetchFilm.ts'
import { type ComfyuiGraph, DEFAULT_FPS, fillGraph, type GraphValues, parseGraph } from '../graphFile.ts'
import { findFaults } from './findFaults.ts'
import { proposeBindings } from './proposeBindings.ts'
import { readWorkflow, UnreadableWorkflow } from './readWorkflow.ts'

interface SetupOptions {
  readonly baseUrl: string
  readonly guard: Guard
  readonly headers: Readonly<Record<string, string>>
  /** Folder of the operator's graphs. */
  readonly folder: string
  readonly ffmpegPath: string | undefined
  /** The provider that renders with the graphs. */
  readonly provider: Pick<VideoProvider, 'check' | 'models'>
}

const TIMING = { connectTimeoutMs: 10_000, timeoutMs: 20_000 }
const STALL_TIMEOUT_MS = 30_000

/** Creates the set-up of graphs for a ComfyUI server. Keeps nothing, so that any process answers any step. */
export function createComfyuiSetup({
  baseUrl,
  guard,
  headers,
  folder,
  ffmpegPath,
  provider,
}: SetupOptions): GraphSetup {
  const client = createComfyuiClient({ ...TIMING, baseUrl, headers })
  const access = {
    client,
    guard: guard.trusting(baseUrl),
    baseUrl,
    headers,
    ffmpegPath,
    stallTimeoutMs: STALL_TIMEOUT_MS,
  }

  return {
    check: (signal) => provider.check(signal),
    list: async () =>
      ((await provider.models?.(AbortSignal.timeout(1_000))) ?? []).map(({ id, names }) => ({ id, names })),

    inspect: (workflow, signal) => explained(async () => proposalOf(workflow, await client.nodes(signal))),

    test: (draft, request, signal) =>
      explained(async () => {
        const id = randomUUID()
        const filled = fillGraph(graphOf(draft), valuesOf(draft, request))
        await client.queue(id, filled, { clientId: id, output: draft.output }, signal)
        return id
      }),

    testState: (id, output, signal) =>
      explained(async (): Promise<TestState> => {
        const job = await client.read(id, signal)
        if (!job) throw new Rejection('not_found', 'ComfyUI does not know this test render any more.')
        const state = stateOf(job, { output }, { percent: undefined })
        if (state.kind === 'queued') return { state: 'waiting', detail: null }
        if (state.kind !== 'failed')
          return { state: state.kind === 'finished' ? 'finished' : 'rendering', detail: null }
        await client.forget(id, signal)
        return { state: 'failed', detail: state.detail }
      }),

    picture: (id, output, fps, signal) =>
      explained(async () => {
        const job = await client.read(id, signal)
        if (!job) throw new Rejection('not_found', 'ComfyUI does not know this test render any more.')
        const temporary = await mkdtemp(path.join(os.tmpdir(), 'kinora-graph-'))
        try {
          const [film, still] = [path.join(temporary, 'film.mp4'), path.join(temporary, 'still.jpg')]
          await fetchFilm(access, job, { output, fps }, film, signal)
          await makePoster(film, still, { at: 0.5, signal, ffmpegPath })
          await client.forget(id, signal)
          return await readFile(still)
        } finally {
          await rm(temporary, { recursive: true, force: true })
        }
      }),

    save: (entry) => explained(() => saveGraph(folder, entry)),
  }
}

/** Stores a graph. @throws Rejection graph_exists */
async function saveGraph(folder: string, entry: Parameters<GraphSetup['save']>[0]): Promise<void> {
  const file = path.join(folder, `${entry.id}.json`)
  const isThere = await stat(file).then(
    () => true,
    () => false,
  )
  if (isThere && !entry.replace)
    throw new Rejection('graph_exists', `There is a graph ${entry.id} already. Choose another id, or replace it.`)
  const stored = fileOf(entry)
  graphOf(entry)
  await mkdir(folder, { recursive: true })
  await writeAtomically(file, (part) => writeFile(part, `${JSON.stringify(stored, null, 2)}\n`))
}

/** Passes on why something failed, for the operator. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Rejection) throw error
    const { message } = error as Error
    if (error instanceof NotSent) throw new Rejection('unavailable', `ComfyUI cannot be reached: ${message}`)
    if (error instanceof UnreadableWorkflow || error instanceof ProviderError)
      throw new Rejection('graph_refused', message)
    throw error
  }
}

function proposalOf(
  workflow: object,
  info: Awaited<ReturnType<ReturnType<typeof createComfyuiClient>['nodes']>>,
): Proposal {
  const graph = readWorkflow(workflow, info)
  const { saved, fps = DEFAULT_FPS, ...proposed } = proposeBindings(graph, info)
  const frames = Number(saved.frames)
  const seconds = Number(saved.seconds) > 0 ? Number(saved.seconds) : (frames - 1) / fps
  return {
    ...{ graph, fps, ...proposed },
    resolution: Number(saved.height) > 0 ? `${saved.height}P` : null,
    seconds: seconds >= 1 ? Math.round(seconds) : null,
    faults: [...findFaults(graph, info)],
  }
}

/** Returns a draft as a graph of the folder. @throws Rejection graph_refused if its bindings name no inputs of it */
function graphOf(draft: Draft): ComfyuiGraph {
  try {
    return parseGraph(fileOf({ ...draft, id: 'draft', names: { en: 'Draft', zh: 'Draft' }, ...ANY }), 'draft')
  } catch (error) {
    throw new Rejection('graph_refused', (error as Error).message)
  }
}
const ANY = { resolutions: ['480P'], seconds: [5], credits: 1, replace: false }

function valuesOf({ fps }: Draft, { prompt, resolution, seconds }: TestRequest): GraphValues {
  const size = pixelSize(resolution)
  return {
    ...{ prompt, seed: randomInt(2 ** 48 - 1), width: size?.width, height: size?.height },
    ...{ seconds, frames: Math.round(seconds * fps) + 1 },
  }
}

/** Returns the file of a graph in the folder. A graph with a picture in it makes no film without one. */
function fileOf({ graph, bindings, output, fps, names, resolutions, seconds, credits }: z.output<typeof GraphEntry>) {
  const taskTypes = [bindings.firstFrame === undefined ? 'text_to_video' : 'image_to_video']
  const descriptions = { en: 'Runs on this installation’s own engine', zh: '由本站自己的引擎生成' }
  const hasSize = bindings.width !== undefined && bindings.height !== undefined
  return {
    model: {
      ...{ names, descriptions, shapes: [{ taskTypes, resolutions, seconds, credits }] },
      ...(hasSize ? { aspectRatios: ['16:9', '9:16', '1:1'] } : {}),
    },
    ...{ bindings, output, fps, graph },
  }
}
