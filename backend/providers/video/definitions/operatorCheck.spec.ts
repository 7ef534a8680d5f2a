import { describe, expect, it } from 'vitest'
import { explainAnswer } from './explainAnswer.ts'
import { previewRequest, sampleRequest } from './previewRequest.ts'
import { shippedDefinitions } from './testing/shippedDefinitions.ts'

const definitions = new Map(shippedDefinitions().map((definition) => [definition.name, definition]))
const answer = (body: never, status = 200) => ({ status, headers: {}, body })

describe('the preview of a request', () => {
  it('shows address, headers and body of each model, with the key masked', () => {
    for (const definition of definitions.values())
      for (const model of definition.models) {
        const preview = previewRequest(definition, sampleRequest(model))
        expect(preview).toContain(`${definition.key.header}: ${definition.key.prefix}••••`)
        expect(preview).toMatch(/^POST https:\/\//)
      }
    const fal = definitions.get('fal')!
    expect(previewRequest(fal, sampleRequest(fal.models[0]!))).toContain('"aspect_ratio": "16:9"')
  })

  it('shows a picture where the model needs one', () => {
    const runway = definitions.get('runway')!
    const turbo = runway.models.find(({ model }) => model === 'gen4_turbo')!
    expect(previewRequest(runway, sampleRequest(turbo))).toContain('/v1/image_to_video')
  })
})

describe('a pasted answer', () => {
  const runway = definitions.get('runway')!

  it('is read with each path, and the conclusion is shown', () => {
    const body = { status: 'SUCCEEDED', output: ['https://x.example/v.mp4'], cost: { credits: 25 } }
    expect(explainAnswer(runway, 'state', answer(body as never))).toMatchObject({
      ok: true,
      conclusion: '{"kind":"finished","costCents":25} https://x.example/v.mp4',
      found: expect.arrayContaining([
        ['status', '"SUCCEEDED"'],
        ['progress', 'nothing'],
        ['output.0', '"https://x.example/v.mp4"'],
      ]),
    })
    expect(explainAnswer(runway, 'create', answer({ id: 'a' } as never)).conclusion).toBe('accepted as the job a')
  })

  it('shows a path that leads to nothing and an answer that says nothing', () => {
    expect(explainAnswer(runway, 'state', answer({ state: 'DONE' } as never))).toMatchObject({
      ok: false,
      found: expect.arrayContaining([['status', 'nothing']]),
    })
    expect(explainAnswer(runway, 'create', answer({ uuid: 'a' } as never))).toMatchObject({
      ok: false,
      conclusion: expect.stringContaining('the job may exist'),
    })
    expect(explainAnswer(runway, 'create', answer({ error: 'no' } as never, 400)).conclusion).toMatch(
      'certainly no job',
    )
  })
})
