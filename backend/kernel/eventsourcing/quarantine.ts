import { StreamBroken } from './pure/applyStored.ts'
import { UnsoundDecision } from './pure/decider.ts'
import { UnknownEvent } from './pure/eventSchemas.ts'

/**
 * Why a stream cannot be used: it is `broken`, this version of the code decides it wrongly (`unsound`), or it is `newer` than this version.
 */
export type Unreadable = 'broken' | 'unsound' | 'newer'

interface QuarantineLog {
  error(detail: object, message: string): void
  info(detail: object, message: string): void
}

const RETRY_MS = 5_000
const silent: QuarantineLog = { error() {}, info() {} }

/** Streams that cannot be used. Commands on them fail without another read until `retryMs` have passed. */
export class Quarantine {
  readonly #streams = new Map<
    string,
    { readonly reason: Unreadable; readonly error: unknown; readonly until: number }
  >()
  readonly #log: QuarantineLog
  readonly #retryMs: number

  constructor(log: QuarantineLog = silent, retryMs = RETRY_MS) {
    this.#log = log
    this.#retryMs = retryMs
  }

  /** Returns the number of streams in quarantine. */
  count(reason: Unreadable): number {
    return [...this.#streams.values()].filter((stream) => stream.reason === reason).length
  }

  /** Reads a stream unless a recent read failed. A read that succeeds ends the quarantine. @throws StreamBroken, UnknownEvent */
  async guard<T>(stream: string, read: () => Promise<T>): Promise<T> {
    const quarantined = this.#streams.get(stream)
    if (quarantined && performance.now() < quarantined.until) throw quarantined.error
    try {
      const result = await read()
      if (this.#streams.delete(stream)) this.#log.info({ stream }, 'stream readable again')
      return result
    } catch (error) {
      this.hold(stream, error)
      throw error
    }
  }

  /** Quarantines a stream after an error that says so. Returns whether it does. */
  hold(stream: string, error: unknown): boolean {
    const reason = reasonOf(error)
    if (!reason) return false
    if (this.#streams.get(stream)?.reason !== reason)
      this.#log.error({ err: error, stream, reason }, 'stream quarantined')
    this.#streams.set(stream, { reason, error, until: performance.now() + this.#retryMs })
    return true
  }
}

function reasonOf(error: unknown): Unreadable | undefined {
  if (error instanceof StreamBroken) return 'broken'
  if (error instanceof UnsoundDecision) return 'unsound'
  return error instanceof UnknownEvent ? 'newer' : undefined
}

/** Returns whether a command failed because its stream is quarantined. */
export const isUnreadable = (error: unknown): boolean => reasonOf(error) !== undefined
