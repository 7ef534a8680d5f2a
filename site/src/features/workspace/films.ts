/** The films and their list, which load after the form. */
export { QueueCard } from './QueueCard.tsx'
export { Stage } from './stage/Stage.tsx'
