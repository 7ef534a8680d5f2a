import { Migration } from '@mikro-orm/migrations'

/** Films that others were made from: the clips of a joined film, and the film whose last frame or settings were taken. */
export class M0014Joins extends Migration {
  override up(): void {
    this.addSql('alter table video_task add column made_from jsonb')
    this.addSql('create index video_task_made_from on video_task using gin (made_from jsonb_path_ops)')
    this.addSql('alter table image_upload add column from_task uuid')
  }
}
