import {
  type CatalogueModel,
  cellsOf,
  engineName,
  isCropped,
  type ModelView,
  ratiosOf,
  type TaskType,
} from '../contract.ts'

/** Returns a model as the API shows it. Costs to the operator and routes stay private. */
export function modelView(model: CatalogueModel, cancels: boolean): ModelView {
  const cells = cellsOf(model)
  const supports = (taskType: TaskType) => cells.some(({ taskTypes }) => taskTypes.includes(taskType))
  return {
    name: model.id,
    display_names: model.names,
    descriptions: model.descriptions,
    supports_camera_movement: model.cameraMovements,
    supports_text_to_video: supports('text_to_video'),
    supports_image_to_video: supports('image_to_video'),
    durations: [...new Set(cells.map(({ duration }) => duration))],
    resolutions: [...new Set(cells.map(({ resolution }) => resolution))],
    costs: cells.map(({ taskTypes, ...cell }) => ({ task_types: [...taskTypes], ...cell })),
    aspect_ratios: model.aspectRatios,
    cropped_ratios: isCropped(model) ? [...ratiosOf(model)] : [],
    supports_last_frame: model.inputs.lastFrame,
    max_references: model.inputs.references,
    supports_sound: model.sound,
    supports_seed: model.seed,
    supports_negative_prompt: model.negativePrompt,
    supports_cancel: cancels,
    engines: model.routes.map(({ provider }) => engineName(provider)),
    regenerates_to: model.regeneratesTo ?? null,
  }
}
