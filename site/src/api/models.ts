import { atom } from 'nanostores'
import { type CatalogueModel, cellsOf, type ModelView, type OfferedModel } from '#backend/tasks/contract.ts'
import i2vDirector from '#content/models/I2V-01-Director.json'
import i2vLive from '#content/models/I2V-01-live.json'
import hailuo02 from '#content/models/MiniMax-Hailuo-02.json'
import t2vDirector from '#content/models/T2V-01-Director.json'

export type FormModel = OfferedModel &
  Pick<CatalogueModel, 'names' | 'descriptions'> & {
    readonly cancels: boolean
    /** What can make its videos, as in `engine` of a task. */
    readonly engines: readonly string[]
  }

/** What a model has whose file says nothing else, as in `ModelFile`, without loading the validation library. */
const PLAIN = {
  ...{ aspectRatios: [], cameraMovements: false, sound: false, seed: false, negativePrompt: false },
  ...{ cancels: false, engines: [] },
}

/** Models of the form until the server's catalogue is loaded. */
const SHIPPED = [hailuo02, t2vDirector, i2vDirector, i2vLive].map((file) => ({
  ...PLAIN,
  ...file,
  inputs: { firstFrame: false, lastFrame: false, references: 0, ...('inputs' in file ? file.inputs : {}) },
})) as unknown as readonly FormModel[]

/** Models that the server offers. */
export const $models = atom<readonly FormModel[]>(SHIPPED)

export const modelNamed = (id: string): FormModel | undefined => $models.get().find((model) => model.id === id)

/** Whether the demo draws the videos of a model. */
export const isDrawn = ({ engines }: FormModel): boolean => engines[0] === 'demo'

/** Every resolution and every duration that a model offers, as texts and seconds in ascending order. */
export const resolutionsOf = (models: readonly FormModel[]): readonly string[] =>
  [...new Set(models.flatMap(cellsOf).map(({ resolution }) => resolution))].sort(byNumber)
export const durationsOf = (models: readonly FormModel[]): readonly number[] =>
  [...new Set(models.flatMap(cellsOf).map(({ duration }) => duration))].sort((a, b) => a - b)

const byNumber = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true })

/** Converts the server's view of a model. */
export const formModel = (view: ModelView): FormModel => ({
  id: view.name,
  names: view.display_names,
  descriptions: view.descriptions,
  shapes: view.costs.map(({ task_types: taskTypes, resolution, duration, credits }) => ({
    taskTypes,
    resolutions: [resolution],
    seconds: [duration],
    credits,
  })),
  cameraMovements: view.supports_camera_movement,
  aspectRatios: view.aspect_ratios,
  inputs: {
    firstFrame: view.supports_image_to_video,
    lastFrame: view.supports_last_frame,
    references: view.max_references,
  },
  sound: view.supports_sound,
  seed: view.supports_seed,
  negativePrompt: view.supports_negative_prompt,
  cancels: view.supports_cancel,
  engines: view.engines,
  ...(view.regenerates_to !== null && { regeneratesTo: view.regenerates_to }),
})
