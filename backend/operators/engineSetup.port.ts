import type * as z from 'zod/mini'
import type { EngineBoard, EngineConnection, FoundEngines, ModelPrices, TestClip } from './engines.contract.ts'

type TestState = Readonly<{ state: 'waiting' | 'rendering' | 'finished' | 'failed'; detail: string | null }>

/** Connects video engines. Methods throw Rejection `engine_refused` with the reason, or `not_found`. */
export interface EngineSetup {
  list(signal: AbortSignal): Promise<z.output<typeof EngineBoard>>
  find(url: string | undefined): Promise<z.output<typeof FoundEngines>>
  /** Connects an engine that answers. Returns its name. */
  connect(engine: z.output<typeof EngineConnection>): Promise<string>
  disconnect(name: string): Promise<void>
  /** Starts a clip. Returns an id from which any process reads its state. */
  test(request: z.output<typeof TestClip>): Promise<string>
  testState(id: string): Promise<TestState>
  /** Passes the path of a finished clip to `use`, which must have read it when it returns. */
  withClip<T>(id: string, use: (file: string) => Promise<T>): Promise<T>
  price(prices: z.output<typeof ModelPrices>): Promise<void>
}
