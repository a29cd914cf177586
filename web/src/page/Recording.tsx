// What can be heard or seen of a recording, from the moment of the quote on.
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { contentAddress, fileOf } from "../api/queries";
import { needsHeader } from "../api/credential";
import type { Document } from "../api/types";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { clock } from "./clock";

interface RecordingProps {
  readonly document: Document;
  /** The moment to begin at, in seconds. */
  readonly at: number;
}

export function Recording({ document, at }: RecordingProps) {
  const { t } = useTranslation();
  const player = useRef<HTMLVideoElement>(null);
  const { address, error } = useAddress(document);
  useEffect(() => {
    const media = player.current;
    if (media === null || address === null) return undefined;
    const seek = () => {
      media.currentTime = at;
    };
    if (media.readyState >= HTMLMediaElement.HAVE_METADATA) seek();
    media.addEventListener("loadedmetadata", seek);
    return () => media.removeEventListener("loadedmetadata", seek);
  }, [at, address]);
  if (error !== null) return <ProblemNotice error={error} />;
  const Media = document.media_type.startsWith("video/") ? "video" : "audio";
  return (
    <div className="flex flex-col gap-1 border-b border-line bg-surface p-2">
      {/* The text below is what is said. */}
      <Media
        ref={player}
        controls
        preload="metadata"
        src={address ?? undefined}
        aria-label={t("recording.player", { title: document.title })}
        className="max-h-64 w-full"
      />
      <Button
        className="self-start"
        onClick={() => {
          if (player.current === null) return;
          player.current.currentTime = at;
          void player.current.play();
        }}
      >
        {t("recording.playFrom", { moment: clock(at) })}
      </Button>
    </div>
  );
}

/** Where the browser gets the file from, a part at a time where it can ask for it by itself. */
function useAddress({ document_id: id, version }: Document) {
  const [made, setMade] = useState<{ address: string | null; error: unknown }>({
    address: null,
    error: null,
  });
  const direct = needsHeader() ? null : contentAddress(id);
  useEffect(() => {
    if (direct !== null) return undefined;
    const controller = new AbortController();
    let url: string | undefined;
    fileOf(id, controller.signal)
      .then((content) => {
        url = URL.createObjectURL(new Blob([content]));
        setMade({ address: url, error: null });
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setMade({ address: null, error });
      });
    return () => {
      controller.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [id, version, direct]);
  return direct === null ? made : { address: direct, error: null };
}
