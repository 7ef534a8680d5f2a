/** A part of a form. */
export interface Part {
  /** Headers of the part, as they go over the wire. */
  readonly head: string
  readonly content?: Buffer | string
  /** Name of the generated picture that is the content. */
  readonly picture?: string
}

/** What a request is answered with. */
export interface Answered {
  readonly status: number
  /** Code of the error. */
  readonly code?: string
  /** Texts of the answer: its headers (`name: value` lines, names in lower case), an empty line and its body. */
  readonly says?: readonly string[]
  readonly never?: readonly string[]
  /** Fields of the JSON in the body, and perhaps others. */
  readonly shows?: object
  /** Colours of the quarters of the picture in the body. */
  readonly colours?: readonly (readonly number[])[]
  /** Texts that later steps name as `{name}`: the first groups of the expressions. */
  readonly take?: Readonly<Record<string, RegExp>>
  /** Repeats the request until it is answered so, because what it reads follows the steps before it with a delay. */
  readonly eventually?: boolean
}

/** A request. `{name}` in its texts is replaced by what an earlier step has taken. */
export interface Request extends Answered {
  /** Method and path. */
  readonly send: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly json?: unknown
  readonly body?: Buffer | string
  readonly form?: readonly Part[]
  /** Sends the session of the case's own account, or the operator's. */
  readonly as?: 'user' | 'operator'
}

/** Bytes on a connection, which the server closes after its answer. */
export interface Wire extends Answered {
  readonly wire: string
}

/** Bytes on an open WebSocket, in hexadecimal digits, and the code with which the server closes it. */
export interface Frames {
  readonly frames: string
  readonly closes: number
}

export type Step = Request | Wire | Frames

interface Reported {
  readonly id: string
  /** Public thread about other software that this case restates. */
  readonly report: string
  readonly needsSite?: boolean
}

/** A report of a bug of other software as requests to this one, with the answers that are right. */
export type Case = Reported & (Step | { readonly steps: readonly Step[] })
