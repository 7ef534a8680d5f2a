import { describe, expect, it } from 'vitest'
import { REQUEST } from '../testing/videoProviderContract.ts'
import { buildRequest, createCall, jobValues, requestValues } from './buildRequest.ts'
import type { Call, Definition } from './definition.ts'
import { interpretCreated, interpretError, interpretResult, interpretState } from './interpretAnswer.ts'
import { decodeJob, encodeJob } from './jobRecord.ts'
import { parseDefinition } from './parseDefinition.ts'
import { shippedDefinitions } from './testing/shippedDefinitions.ts'

const line = (definition: Definition, call: Call, values: object) => {
  const { method, url } = buildRequest(definition, call, values as never, 'secret')
  return `${method} ${url.pathname}${url.search}`
}

describe.each(shippedDefinitions().map((definition) => [definition.name, definition] as const))(
  'the definition of %s',
  (_, definition) => {
    const { examples, create, state, result, cancel, check, errors } = definition
    const job = interpretCreated(definition, examples.created)!

    it('sends what its examples say', () => {
      const { regenerate } = examples
      for (const { input, request, sends } of [...examples.creates, ...(regenerate ? [regenerate] : [])]) {
        const { firstFrame, lastFrame, references = [], callbackUrl, ...others } = input
        const frames = { firstFrame, lastFrame, references }
        const values = requestValues({ ...REQUEST, cameraMovements: [], ...others } as never, frames, callbackUrl)
        const call = input.sourceJob ? definition.regenerate! : createCall(definition, values.providerModel as string)
        const built = buildRequest(definition, call, values, 'secret')
        expect(`${built.method} ${built.url.pathname}${built.url.search}`).toBe(request)
        expect(JSON.parse(built.body!)).toEqual(sends)
        expect(built.headers[definition.key.header]).toBe(`${definition.key.prefix}secret`)
      }
    })

    it('shows each field that it can send in an example', () => {
      const bodies = [create.body, ...definition.models.map(({ body }) => body)]
      const fields = bodies.flatMap((body) => Object.keys((body ?? {}) as object))
      const shown = new Set(examples.creates.flatMap(({ sends }) => Object.keys(sends as object)))
      // The double refuses fields that no example sends, and every task has a seed.
      expect(fields.filter((field) => !shown.has(field))).toEqual([])
    })

    it('has an example of each call', () => {
      expect(examples.regenerate !== undefined).toBe(definition.regenerate !== undefined)
      expect(definition.models.some(({ regeneratesTo }) => regeneratesTo)).toBe(definition.regenerate !== undefined)
    })

    it('addresses the job and the check as its examples say', () => {
      const values = jobValues(decodeJob(encodeJob(definition, job)))
      expect(line(definition, state, values)).toBe(examples.state.request)
      if (result.call) expect(line(definition, result.call, values)).toBe(examples.result!.request)
      if (cancel) expect(line(definition, cancel, values)).toBe(examples.cancel!.request)
      expect(line(definition, check, {})).toBe(examples.check.request)
    })

    it('reads the states, results and failures of its examples', () => {
      for (const { answer, means } of examples.state.answers)
        expect(interpretState(definition, answer)).toEqual(
          means.kind === 'rendering' ? { percent: undefined, ...means } : means,
        )
      if (examples.result) expect(interpretResult(definition, examples.result.answer)).toEqual(examples.result.means)
      for (const { state, result, means } of examples.failures)
        expect(result ? interpretResult(definition, result) : interpretState(definition, state)).toMatchObject(means)
    })

    it('classifies the refusals of its examples, and leaves 5xx statuses unclear', () => {
      expect(examples.refusals.map(({ answer }) => interpretError(definition, answer).kind)).toEqual(
        examples.refusals.map(({ kind }) => kind),
      )
      for (const status of [408, 409, 500, 502, 503, 504])
        if (!errors.statuses[String(status)])
          expect(interpretError(definition, { status, headers: {}, body: null }).kind).toBe('unknown')
    })

    it('creates no job from an answer without an id or with an error status', () => {
      expect(interpretCreated(definition, { ...examples.created, body: {} })).toBe(undefined)
      expect(interpretCreated(definition, { ...examples.created, status: 500 })).toBe(undefined)
      expect(Object.keys(job.kept)).toEqual(Object.keys(create.job.keep))
    })

    it('says where each price comes from', () => {
      for (const { shapes, priceSource } of definition.models)
        expect(shapes.some(({ cents, centsPerSecond }) => cents ?? centsPerSecond)).toBe(priceSource !== 'unknown')
    })
  },
)

describe('a definition', () => {
  const [shipped] = shippedDefinitions() as [Definition]
  const withChange = (change: object) => () => parseDefinition({ ...shipped, ...change }, shipped.name)

  it.each([
    ['another name than its file', { name: 'other' }, /name must be/],
    ['an unknown field', { script: 'x' }, /script/],
    ['a reference to an unknown value', { create: { ...shipped.create, body: { a: '{secret}' } } }, /\{secret\}/],
    ['an unknown form', { create: { ...shipped.create, body: { $eval: 'x' } } }, /\$eval/],
    ['a path that is none', { result: { ...shipped.result, url: ['a..b'] } }, /result\.url/],
  ])('with %s is refused with the reason', (_, change, reason) => {
    expect(withChange(change)).toThrow(reason)
  })

  it('never sends its key to an address that an answer names, unless the file lists its origin', () => {
    const fal = shippedDefinitions().find(({ name }) => name === 'fal')!
    const values = { statusUrl: 'https://evil.example/status' }
    expect(() => buildRequest(fal, fal.state, values, 'secret')).toThrow('is not its address')
    expect(() => buildRequest(fal, fal.state, { statusUrl: 'http://queue.fal.run/x' }, 'secret')).toThrow()
  })

  it('treats an unknown word as running, an outage as no answer, and 404 as an unknown job', () => {
    const fal = shippedDefinitions().find(({ name }) => name === 'fal')!
    const answer = (status: number, body: never) => interpretState(fal, { status, headers: {}, body })
    expect(answer(200, { status: 'WARMING_UP' } as never)).toMatchObject({ kind: 'rendering' })
    expect(answer(404, { detail: 'not found' } as never)).toEqual({ kind: 'unknown' })
    expect(() => answer(502, '<html>' as never)).toThrow('HTTP 502')
    expect(() => interpretResult(fal, { status: 502, headers: {}, body: '<html>' })).toThrow('HTTP 502')
  })

  it.each([408, 502, 503, 504])('never ends a finished job by HTTP %i for its result, even with a text', (status) => {
    const fal = shippedDefinitions().find(({ name }) => name === 'fal')!
    const answer = { status, headers: {}, body: { detail: 'Service temporarily unavailable' } }
    expect(() => interpretResult(fal, answer)).toThrow(`HTTP ${status}`)
  })

  it.each([400, 404, 405])('treats HTTP %i without an error of the provider as no answer about the job', (status) => {
    for (const definition of shippedDefinitions()) {
      const ask = () => interpretState(definition, { status, headers: {}, body: '<html>' })
      expect(ask).toThrow(expect.objectContaining({ kind: 'unknown' }))
    }
  })
})
