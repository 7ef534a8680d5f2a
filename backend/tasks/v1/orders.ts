import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { KeyCaller } from '../../kernel/http/bearer.ts'
import { parseInput } from '../../kernel/http/endpoint.ts'
import { instantOrNull } from '../../kernel/http/instant.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { type CatalogueModel, cellsOf, type Generation, generationOf } from '../contract.ts'
import type { Works } from '../works.ts'
import { toGeneration } from './toGeneration.ts'
import type { Video, VideoOrder } from './v1.contract.ts'
import { sizesOf } from './videoSizes.ts'
import { videoView } from './videoView.ts'

/** Names of the shape's fields, by those of a generation. */
const PARAMS: Readonly<Record<string, string>> = {
  duration: 'seconds',
  resolution: 'size',
  aspect_ratio: 'size',
  first_frame_image_url: 'input_reference',
  file: 'input_reference',
  sound: 'generate_audio',
}

/** Throws an error whose faults name the fields of the shape. */
export function throwWithParams(error: unknown): never {
  if (!(error instanceof ValidationError)) throw error
  const errors = error.fields.errors as readonly { path: string; code: string }[]
  throw new ValidationError(
    errors.map(({ path, code }) => ({ path: PARAMS[path] ?? path, code })),
    error.code,
  )
}

type Row = Parameters<Works['view']>[0]

export type Orders = ReturnType<typeof createOrders>

/** Creates what `/v1` and `/mcp` share: how programs order and see videos. */
export function createOrders({
  works,
  catalogue,
  publicUrl,
}: {
  works: Pick<Works, 'readOwn' | 'view'>
  catalogue: Pick<Catalogue, 'offered'>
  publicUrl: () => string
}) {
  const rules = generationOf(catalogue.offered)
  const offeredTo = ({ models }: Pick<KeyCaller, 'models'>): CatalogueModel[] =>
    catalogue.offered().filter(({ id }) => models === null || models.includes(id))

  return {
    /** Returns the models that a key may order. */
    offeredTo,

    /**
     * Translates and checks the order of a key.
     * @param firstFrame address of the first frame; undefined for a text
     * @throws Rejection invalid_value, price_changed  @throws ValidationError
     */
    read(key: KeyCaller, fields: VideoOrder, firstFrame?: string): Generation {
      const generation = toGeneration(fields, firstFrame !== undefined, offeredTo(key))
      return parseInput(rules, { ...generation, first_frame_image_url: firstFrame })
    },

    view: async (row: Row): Promise<Video> =>
      videoView(await works.view(row), instantOrNull(row.finished_at as string | null), publicUrl()),

    /** Returns the row of the caller's video. That of another user does not exist. @throws Rejection not_found */
    readOwn: (userId: string, id: string) =>
      works.readOwn(userId, id).catch((error) => {
        if (error instanceof Rejection && (error.code === 'forbidden' || error.code === 'not_found'))
          throw new Rejection('not_found', 'There is no video with this id.', { param: 'id' })
        throw error
      }),
  }
}

const TASK_NAMES = { text_to_video: 'T2V', image_to_video: 'I2V' }

/** Returns a model with every video that can be ordered. */
export function modelView(model: CatalogueModel) {
  const offers = cellsOf(model).flatMap(({ taskTypes, resolution, duration: seconds, credits }) =>
    sizesOf(model, resolution).map((size) => {
      return { task_types: taskTypes.map((type) => TASK_NAMES[type]), size, seconds, credits }
    }),
  )
  return { id: model.id, object: 'model' as const, created: 0, owned_by: 'kinora', offers }
}
