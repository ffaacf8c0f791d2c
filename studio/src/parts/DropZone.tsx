/** Where files are dropped, or chosen by a button. */
import { Button, FileButton } from "@mantine/core";
import { type DragEvent, useState } from "react";
import { Icon } from "../shell/icons";
import { t } from "../text";

export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [over, setOver] = useState(false);

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  }

  return (
    <div
      className="dropzone"
      data-over={over || undefined}
      onDragOver={(event) => { event.preventDefault(); setOver(true); }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="documents" size={32} />
      <div>
        <b>{t("docs.drop")}</b>
        <div className="soft small">{t("docs.kinds")}</div>
      </div>
      <FileButton onChange={onFiles} multiple>{(props) => <Button {...props}>{t("docs.choose")}</Button>}</FileButton>
    </div>
  );
}
