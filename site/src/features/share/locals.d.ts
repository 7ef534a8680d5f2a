declare namespace App {
  /** Data that the server passes to pages that are rendered on request. */
  interface Locals {
    /** The shared video; undefined if there is none at this address. */
    share?: import('#backend/tasks/contract.ts').SharedVideo
    /** Whether operators removed it. */
    removed?: boolean
  }
}
