import { useState } from "react";
import { upload } from "../api/files";
import { t } from "../text";
import { client, explain } from "./queries";
import { say } from "./state";

export type Upload = { name: string; share: number; problem: string | null };

/** Sends files one after the other, and tells how much of each is sent. What failed stays until it is put away. */
export function useUploads() {
  const [uploads, setUploads] = useState<Upload[]>([]);
  const change = (one: Upload, part: Partial<Upload>) => {
    Object.assign(one, part);
    setUploads((all) => [...all]);
  };
  const remove = (one: Upload) => setUploads((all) => all.filter((other) => other !== one));

  async function add(files: File[]): Promise<void> {
    const begun = files.map((file) => ({ name: file.name, share: 0, problem: null }) as Upload);
    setUploads((all) => [...all, ...begun]);
    for (const [at, file] of files.entries()) {
      const one = begun[at]!;
      try {
        const { status, document } = await upload(file, (share) => change(one, { share }));
        if (status === "duplicate") say(t("docs.known", { name: document.name }));
        remove(one);
      } catch (error) {
        change(one, { problem: explain(error) });
      }
      await client.invalidateQueries({ queryKey: ["documents"] });
    }
  }

  return { uploads, add, remove };
}
