import {
  type Activities,
  type Engine,
  type NoInput,
  type Policies,
  type StartOptions,
  type Workflow,
  workflowId,
} from '#workflows/engine/engine.port.ts'
import { currentServer, type Worker } from './workflowServer.ts'

/** Stands in for `workflows/temporal/temporalEngine.ts`: a worker of the simulated workflow server. */
export class TemporalEngine implements Engine {
  readonly #server = currentServer()
  readonly #worker: Worker

  constructor(options: { readonly activities: Activities; readonly policies: Policies }) {
    this.#worker = this.#server.connect(options)
  }

  start<I>(workflow: Workflow<never, I, unknown>, input: NoInfer<I>, options: StartOptions = {}): Promise<void> {
    return this.#server.start(workflow as never, input, options)
  }

  signal<Key>(workflow: Workflow<never, never, unknown, Key>, input: NoInfer<Key>, name: string): Promise<void> {
    return this.#server.signal(workflowId(workflow, input), name)
  }

  async schedule(workflow: Workflow<never, NoInput, unknown>, everyMs: number): Promise<void> {
    this.#server.schedule(workflow as never, everyMs)
  }

  async result<O, Key>(workflow: Workflow<never, never, O, Key>, input: NoInfer<Key>): Promise<O | undefined> {
    return this.#server.result(workflowId(workflow, input)) as Promise<O> | undefined
  }

  async stop(): Promise<void> {
    this.#server.disconnect(this.#worker)
  }
}
