import { Migration } from '@mikro-orm/migrations'

export class M0005Workspace extends Migration {
  override up(): void {
    this.addSql('alter table video_task add column started_at timestamptz')
    this.addSql('create index video_task_first_frame on video_task (first_frame) where first_frame is not null')
    this.addSql(`create index video_task_finished on video_task (finished_at desc) where status = 'Success'`)
    this.addSql('alter table image_upload add column used_at timestamptz')
    this.addSql('create index image_upload_age on image_upload (coalesce(used_at, created_at))')
  }
}
