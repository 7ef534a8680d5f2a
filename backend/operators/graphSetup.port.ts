import type * as z from 'zod/mini'
import type { GraphDraft, GraphEntry, GraphProposal, GraphTestState } from './graphs.contract.ts'

export type Draft = z.output<typeof GraphDraft>
export type Proposal = z.output<typeof GraphProposal>
export type TestState = z.output<typeof GraphTestState>

export interface TestRequest {
  readonly prompt: string
  readonly seconds: number
  readonly resolution: string
}

/** Sets up the graphs of a ComfyUI server. Methods throw Rejection `graph_refused` with the reason, or `unavailable`. */
export interface GraphSetup {
  /** Returns what was found, and whether every graph can run. */
  check(signal: AbortSignal): Promise<{ readonly ok: boolean; readonly detail: string }>
  list(): Promise<readonly { readonly id: string; readonly names: { readonly en: string; readonly zh: string } }[]>
  /** Reads a workflow in the form of the editor or of its API, and proposes what to bind. */
  inspect(workflow: object, signal: AbortSignal): Promise<Proposal>
  /** Starts a render with the graph. Returns its id. */
  test(draft: Draft, request: TestRequest, signal: AbortSignal): Promise<string>
  testState(id: string, output: string, signal: AbortSignal): Promise<TestState>
  /** Returns a still of a finished test render as JPEG, and removes it from the server's history. */
  picture(id: string, output: string, fps: number, signal: AbortSignal): Promise<Buffer>
  /** Stores a graph as a model. @throws Rejection graph_exists unless it may replace one */
  save(entry: z.output<typeof GraphEntry>): Promise<void>
}
