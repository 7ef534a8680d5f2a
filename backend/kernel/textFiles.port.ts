/** Stores small text files outside the database. */
export interface TextFiles {
  /** Returns a file's content; undefined if there is no such file. */
  read(name: string): Promise<string | undefined>
  /** Creates a file or replaces it. */
  write(name: string, content: string): Promise<void>
}
