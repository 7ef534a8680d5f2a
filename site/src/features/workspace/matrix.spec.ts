import { beforeEach, describe, expect, it } from 'vitest'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { TIERS, type Tier } from '#backend/subscriptions/contract.ts'
import { allowanceOf } from '#backend/subscriptions/plans.contract.ts'
import {
  type CameraMovement,
  type Configuration,
  cellsFor,
  generationOf,
  modelsFor,
  TASK_TYPES,
} from '#backend/tasks/contract.ts'
import { submitTask } from '#backend/tasks/tasks.ts'
import { catalogueDouble } from '#backend/tasks/testing/shippedModels.ts'
import { stepDouble } from '#workflows/testing/stepDouble.ts'
import { check } from '../../api/check.ts'
import { $credits } from '../../api/credits.ts'
import { $models, modelNamed } from '../../api/models.ts'
import { toggleMovement } from '../../i18n/movements.ts'
import {
  $cost,
  $generation,
  $needsPlan,
  $short,
  applyMovements,
  setDuration,
  setMode,
  setModel,
  setResolution,
} from './generation.ts'
import { DEFAULT_CHOICES, durationOptions, resolutionOptions } from './generationRules.ts'
import { NO_OPTIONS } from './options/optionRules.ts'
import { bodyOf } from './submission.ts'

const Generation = generationOf(catalogueDouble.offered)
const MODEL_NAMES = ['MiniMax-Hailuo-02', 'T2V-01-Director', 'I2V-01-Director', 'I2V-01-live']
const RESOLUTIONS = ['512P', '720P', '768P', '1080P']
const DURATIONS = [6, 10]

const IMAGE = '/api/v1/videos/images/019a0000-0000-7000-8000-000000000000'
const MOVEMENTS: Readonly<Record<string, readonly CameraMovement[]>> = {
  none: [],
  one: ['跟随'],
  three: ['左移', '推进', '上升'],
  four: ['左移', '推进', '上升', '晃动'],
  opposites: ['左移', '右移'],
}
const CELLS = TASK_TYPES.flatMap((taskType) =>
  MODEL_NAMES.flatMap((model) =>
    RESOLUTIONS.flatMap((resolution) => DURATIONS.map((duration) => ({ taskType, model, resolution, duration }))),
  ),
)
const nameOf = (c: Configuration) => `${c.taskType} ${c.model} ${c.resolution} ${c.duration} s`

/** Returns the credits that the server holds for a request body, or the code of its rejection. */
async function server(tier: Tier, body: object): Promise<number | string> {
  const read = check(Generation, body)
  if (!read.ok) return Object.values(read.faults)[0]!
  let held = 0
  const deps = {
    handle: createHandle(createMemoryEventStore()),
    credits: {
      hold: ({ amount }: { amount: number }) =>
        stepDouble(async () => {
          held += amount
        }),
      release: async () => undefined,
    },
    encrypt: async (_: object, text: string) => text,
    allowance: async () => allowanceOf(tier),
    clock: () => 0,
    understands: () => undefined,
    catalogue: catalogueDouble,
  }
  const submission = { userId: 'user', taskId: 'task', generation: read.value, images: { firstFrame: null } }
  const context = { commandId: 'command', actor: 'user:user', correlationId: 'request' }
  try {
    await submitTask(deps, submission, context)
    return held
  } catch (error) {
    return (error as { code: string }).code
  }
}

/** Selects a combination as a user would, skipping unavailable options. Returns whether the form reached it. */
function chosen(cell: Configuration, tier: Tier, first: 'resolution' | 'duration'): boolean {
  $generation.set({ ...DEFAULT_CHOICES, ...NO_OPTIONS, prompt: 'A cat', promptOptimizer: true })
  setMode(cell.taskType)
  if (!modelsFor($models.get(), cell.taskType).some(({ id }) => id === cell.model)) return false
  setModel(cell.model)
  const takeResolution = () => {
    const option = resolutionOptions($generation.get(), tier).find(({ value }) => value === cell.resolution)
    if (!option?.excluded) setResolution(cell.resolution)
  }
  const takeDuration = () => {
    const option = durationOptions($generation.get()).find(({ value }) => value === cell.duration)
    if (!option?.excluded) setDuration(cell.duration)
  }
  for (const take of first === 'duration' ? [takeDuration, takeResolution] : [takeResolution, takeDuration]) take()
  const { taskType, model, resolution, duration } = $generation.get()
  return nameOf({ taskType, model, resolution, duration }) === nameOf(cell)
}

const sentBody = () => bodyOf($generation.get(), { first: IMAGE, last: IMAGE, references: [IMAGE] })
const readRawBody = (cell: Configuration, movements: readonly CameraMovement[]) => ({
  task_type: cell.taskType,
  model: cell.model,
  prompt: 'A cat',
  duration: cell.duration,
  resolution: cell.resolution,
  camera_movements: movements,
  first_frame_image_url: cell.taskType === 'image_to_video' ? IMAGE : null,
})
const priceOf = (cell: Configuration) =>
  cellsFor(modelNamed(cell.model), cell.taskType).find(
    (s) => s.resolution === cell.resolution && s.duration === cell.duration,
  )?.credits

describe('every combination of model, mode, resolution, duration, movements and tier', () => {
  beforeEach(() => $credits.set(null))

  it.each(TIERS)(
    'is offered by the form and accepted by the server at the same price, or by neither (%s)',
    async (tier) => {
      $credits.set({ remaining: 1_000_000, total: 1_000_000, tier })
      const disagreements: string[] = []
      let made = 0
      for (const cell of CELLS)
        for (const [kind, movements] of Object.entries(MOVEMENTS)) {
          const isThere = [chosen(cell, tier, 'duration'), chosen(cell, tier, 'resolution')].some(Boolean)
          applyMovements(movements.reduce(toggleMovement, [] as readonly CameraMovement[]))
          const sent = sentBody()
          const offered =
            isThere && !$needsPlan.get() && `${sent.camera_movements ?? []}` === `${movements}` && !$short.get()
          const answer = await server(tier, readRawBody(cell, movements))
          if (typeof answer === 'number') made++
          const agreed = offered
            ? answer === $cost.get() && answer === priceOf(cell) && answer === (await server(tier, sent))
            : typeof answer === 'string'
          if (!agreed) disagreements.push(`${nameOf(cell)}, ${kind}: form ${offered}, server ${answer}`)
          // The form then holds another valid combination.
          if (typeof (await server(tier, sent)) !== 'number')
            disagreements.push(`${nameOf(cell)}, ${kind}: sent ${sent}`)
        }
      expect(disagreements).toEqual([])
      // 4 text and 6 image combinations with no, one or three movements, and the live model without; Free lacks 1080P.
      expect([CELLS.length * Object.keys(MOVEMENTS).length, made]).toEqual([320, tier === 'free' ? 25 : 31])
    },
  )

  it('is rejected with the code of the rule it breaks', async () => {
    const director = { taskType: 'text_to_video', model: 'T2V-01-Director', resolution: '720P', duration: 6 } as const
    const hailuo = { taskType: 'text_to_video', model: 'MiniMax-Hailuo-02', resolution: '1080P', duration: 6 } as const
    const live = { taskType: 'image_to_video', model: 'I2V-01-live', resolution: '720P', duration: 6 } as const
    const refusals = [
      [readRawBody({ ...director, taskType: 'image_to_video' }, []), 'model_not_for_task_type'],
      [readRawBody({ ...director, resolution: '768P' }, []), 'resolution_not_for_model'],
      [readRawBody({ ...director, duration: 10 }, []), 'duration_not_for_model'],
      [readRawBody({ ...hailuo, duration: 10 }, []), 'duration_not_for_model'],
      [readRawBody({ ...hailuo, resolution: '512P' }, []), 'resolution_not_for_model'],
      [readRawBody(hailuo, []), 'plan_required'],
      [readRawBody(live, ['固定']), 'camera_movements_not_for_model'],
      [readRawBody(director, MOVEMENTS.four!), 'too_many_camera_movements'],
      [readRawBody(director, MOVEMENTS.opposites!), 'opposite_camera_movements'],
      [{ ...readRawBody(director, []), prompt: 'x'.repeat(2001) }, 'prompt_too_long'],
      [{ ...readRawBody(director, []), prompt: ' ' }, 'required'],
      [{ ...readRawBody(live, []), first_frame_image_url: null }, 'required'],
    ] as const
    for (const [body, code] of refusals) expect([code, await server('free', body)]).toEqual([code, code])
  })

  it('is not sent if it costs more than the balance', () => {
    for (const cell of CELLS.filter(priceOf)) {
      chosen(cell, 'pro', 'duration')
      const price = priceOf(cell)!
      $credits.set({ remaining: price - 1, total: price, tier: 'pro' })
      expect([nameOf(cell), $cost.get(), $short.get()]).toEqual([nameOf(cell), price, true])
      $credits.set({ remaining: price, total: price, tier: 'pro' })
      expect($short.get()).toBe(false)
    }
  })
})
