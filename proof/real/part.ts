/** A real program that Kinora is tried with. */
export interface Part {
  readonly name: string
  /** Starts the program, tries Kinora with it, and stops it. Returns its version. @throws Skipped, or what went wrong */
  run(context: PartContext): Promise<string>
}

export interface PartContext {
  /** A folder of this part, removed afterwards. */
  readonly folder: string
  /** Folder of what is downloaded once. */
  readonly cache: string
  /** Whether answers are recorded, rather than compared with those of the last recording. */
  readonly record: boolean
  /** Whether waiting is tried as long as it lasts in use, in minutes, rather than in seconds. */
  readonly full: boolean
  /** Folder for pictures of what users see, if they are wanted. */
  readonly pictures: string | undefined
}

/** The program cannot be had here. The message is the reason. */
export class Skipped extends Error {
  override name = 'Skipped'
}
